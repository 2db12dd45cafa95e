import type { BaseLogger } from 'pino'
import type { Reseal } from '../keys/reseal.ts'
import type { Queries } from '../read/queries.ts'
import type { PostgresSessionTimes } from '../session-times.ts'
import type { Membership } from './membership.ts'

interface HousekeepingParts {
  readonly queries: Queries
  readonly membership: Membership
  readonly reseal: Reseal
  readonly sessionTimes: Pick<PostgresSessionTimes, 'prune'>
  readonly isLeader: () => boolean
  readonly log: BaseLogger
}

const INTERVAL_MS = 60_000
/** Minimum age of pruned changes, even if all members and readers have them: a fenced member may come back. */
const CHANGES_KEPT_MS = 600_000

/**
 * Prunes the store's own tables once a minute, on the leader, and re-seals secrets of retired keys, which may take
 * longer.
 */
export class Housekeeping {
  private readonly parts: HousekeepingParts
  private readonly timer: NodeJS.Timeout

  constructor(parts: HousekeepingParts) {
    this.parts = parts
    this.timer = setInterval(() => {
      this.clean().catch((error: unknown) =>
        parts.log.warn({ err: error }, 'housekeeping failed; it runs again in a minute'),
      )
      parts.reseal
        .look()
        .catch((error: unknown) =>
          parts.log.warn(
            { err: error },
            're-sealing secrets of retired keys failed; it runs again in a minute',
          ),
        )
    }, INTERVAL_MS)
    this.timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.parts.reseal.close()
  }

  private async clean(): Promise<void> {
    const { queries, membership, sessionTimes, isLeader } = this.parts
    while (isLeader() && (await queries.prune(CHANGES_KEPT_MS)) > 0);
    if (isLeader()) await membership.forget()
    if (isLeader()) await sessionTimes.prune()
  }
}
