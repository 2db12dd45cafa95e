/** Replicates from the primary datacenter, in one process of this datacenter. */
import type { Random } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type ReplicationStep, Replicator, StoreConflict } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { httpChanges } from '../outgoing/http-changes.ts'
import { type PrimaryClient, PrimaryUnreachable } from '../outgoing/primary-client.ts'
import type { ServerStore } from '../server-store.ts'
import { OldPrimary } from './old-primary.ts'
import type { ReplicationReport } from './replication-state.ts'
import { NoReplicationToken, readReplicationToken } from './replication-token.ts'
import { Standstill } from './standstill.ts'

interface ReplicationParts {
  readonly store: ServerStore
  readonly primary: PrimaryClient
  readonly config: Config
  readonly random: Random
  readonly log: Logger
  /** Counts what was applied, and failures. */
  readonly onStep: (step: ReplicationStep) => void
}

/** Pause between two checks of the replication token and of the alarm, both of which may change at any time. */
const LOOK_MS = 500

export class Replication {
  private readonly parts: ReplicationParts
  private readonly replicator: Replicator
  /** The datacenter that the settings name as the primary, once this one was promoted. */
  readonly oldPrimary: OldPrimary
  private since: number | undefined
  private isPrimaryLegacy = false
  private token: string | undefined
  private standstill: Standstill
  private hasFailed = false

  constructor(parts: ReplicationParts) {
    const { store, primary, config, random, log } = parts
    this.parts = parts
    this.standstill = new Standstill(log)
    const token = async () => {
      this.token = await readReplicationToken({ store, config })
      return this.token
    }
    const [headerPrefix = ''] = config.headerPrefixes
    const source = httpChanges({ primary, token, reader: config.datacenter, headerPrefix })
    this.oldPrimary = new OldPrimary({ store, source, log })
    this.replicator = new Replicator({
      store,
      source,
      clock: store.clock,
      sleeper: {
        after: (ms, callback) => {
          const timer = setTimeout(callback, ms)
          return () => clearTimeout(timer)
        },
      },
      random,
      primaryDatacenter: config.primaryDatacenter,
      kinds: config.tokenReplication ? 'all' : 'withoutTokens',
      onStep: (step) => this.note(step),
    })
  }

  /** The report of this process; `undefined` unless it replicates. */
  report(): ReplicationReport | undefined {
    const { since, isPrimaryLegacy } = this
    return since === undefined ? undefined : { ...this.replicator.status(), since, isPrimaryLegacy }
  }

  /** Replicates until the signal is aborted. Call it in one process at a time. */
  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.parts
    this.since = store.clock.now()
    this.standstill = new Standstill(this.parts.log)
    this.hasFailed = false
    const looking = setInterval(() => void this.look(), LOOK_MS)
    try {
      await this.replicator.run(signal)
    } finally {
      clearInterval(looking)
      this.since = undefined
      store.membership.setReplication(undefined)
    }
  }

  private async look(): Promise<void> {
    const { store, config } = this.parts
    const report = this.report()
    if (report === undefined) return
    store.membership.setReplication(report)
    const token = await readReplicationToken({ store, config }).catch(() => undefined)
    if (token !== undefined && token !== this.token) {
      this.token = token
      this.replicator.retryNow()
    }
    this.standstill.look(report, store.clock.now())
  }

  private note(step: ReplicationStep): void {
    const { onStep, log } = this.parts
    onStep(step)
    const { outcome, error, counts, mended } = step
    if (mended && Object.values(mended).some((count) => count > 0)) {
      log.error({ mended }, 'records differed from those of the primary datacenter and were mended')
    }
    if (counts && outcome === 'applied') log.debug({ counts }, 'changes of the primary datacenter applied')
    if (outcome !== 'failed' && outcome !== 'paused') {
      this.hasFailed = false
      this.isPrimaryLegacy = false
      return
    }
    this.isPrimaryLegacy = error instanceof AclError && error.code === 'legacy_mode'
    // A series of failures is logged once.
    if (!this.hasFailed) log.warn({ err: error }, 'a round of replication failed; others follow')
    this.hasFailed = true
  }
}

/** Why a step failed, in one word for metrics. */
export function failureReason({ outcome, error }: ReplicationStep): string {
  if (outcome === 'paused') return 'paused'
  if (error instanceof NoReplicationToken) return 'no_token'
  if (error instanceof AclError) return error.code
  if (error instanceof StoreConflict) return 'conflict'
  return error instanceof PrimaryUnreachable ? 'unreachable' : 'other'
}
