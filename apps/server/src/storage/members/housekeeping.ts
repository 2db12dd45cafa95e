import type { BaseLogger } from 'pino'
import type { Reseal } from '../keys/reseal.ts'
import type { Queries } from '../read/queries.ts'
import type { Membership } from './membership.ts'

export interface HousekeepingParts {
  readonly queries: Queries
  readonly membership: Membership
  readonly reseal: Reseal
  readonly isLeader: () => boolean
  readonly log: BaseLogger
}

const INTERVAL_MS = 60_000
/** How long changes stay in the log though every process has applied them: for one that is fenced and comes back. */
const CHANGES_KEPT_MS = 600_000

/**
 * Removes what nobody needs any more from the tables of the store itself. Done by the leader, once a minute; and sees to
 * the keys of secrets, which may take longer.
 */
export class Housekeeping {
  private readonly parts: HousekeepingParts
  private readonly timer: NodeJS.Timeout

  constructor(parts: HousekeepingParts) {
    this.parts = parts
    this.timer = setInterval(() => {
      this.clean().catch((error: unknown) =>
        parts.log.warn({ err: error }, 'housekeeping failed; it goes on'),
      )
      parts.reseal
        .look()
        .catch((error: unknown) =>
          parts.log.warn({ err: error }, 'seeing to the encryption keys failed; it goes on'),
        )
    }, INTERVAL_MS)
    this.timer.unref()
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.parts.reseal.close()
  }

  private async clean(): Promise<void> {
    const { queries, membership, isLeader } = this.parts
    while (isLeader() && (await queries.prune(CHANGES_KEPT_MS)) > 0);
    if (isLeader()) await membership.forget()
  }
}
