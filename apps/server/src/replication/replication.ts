/** Replicates from the primary datacenter, in one process of this datacenter. */
import type { ClusterRecord, Random } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import {
  type ChangesSource,
  type ReplicationStep,
  Replicator,
  type Store,
  StoreConflict,
} from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { httpChanges } from '../outgoing/http-changes.ts'
import { type PrimaryClient, PrimaryUnreachable } from '../outgoing/primary-client.ts'
import type { ServerStore } from '../server-store.ts'
import { type ReplicationReport, watchStandstill } from './replication-state.ts'
import { NoReplicationToken, readReplicationToken } from './replication-token.ts'

interface ReplicationParts {
  readonly store: ServerStore
  readonly primary: PrimaryClient
  readonly config: Config
  readonly random: Random
  readonly log: Logger
  readonly onStep: (step: ReplicationStep) => void
}

/** Pause between two checks of the replication token and of the alarm, both of which may change at any time. */
const LOOK_MS = 500

export class Replication {
  private readonly parts: ReplicationParts
  private readonly replicator: Replicator
  /** The datacenter that the settings name as the primary, once this one was promoted. */
  readonly lookForOldPrimary: (signal: AbortSignal) => Promise<void>
  private since: number | undefined
  private isPrimaryLegacy = false
  private token: string | undefined
  private noteStandstill: ReturnType<typeof watchStandstill> | undefined
  private hasFailed = false

  constructor(parts: ReplicationParts) {
    const { store, primary, config, random, log } = parts
    this.parts = parts
    const token = async () => {
      this.token = await readReplicationToken({ store, config })
      return this.token
    }
    const [headerPrefix = ''] = config.headerPrefixes
    const source = httpChanges({ primary, token, reader: config.datacenter, headerPrefix })
    this.lookForOldPrimary = watchOldPrimary(store, source, log)
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

  report(): ReplicationReport | undefined {
    const { since, isPrimaryLegacy } = this
    return since === undefined ? undefined : { ...this.replicator.status(), since, isPrimaryLegacy }
  }

  /** Replicates until the signal is aborted. Call it in one process at a time. */
  async run(signal: AbortSignal): Promise<void> {
    const { store } = this.parts
    this.since = store.clock.now()
    this.noteStandstill = watchStandstill(this.parts.log)
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
    this.noteStandstill?.(report, store.clock.now())
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

/**
 * Watches, in a promoted datacenter, for the primary that it replaced. Decisions: promotion.
 * @returns sends one request. A primary refuses the index of its successor, which shows that it is back; warns once.
 */
export function watchOldPrimary(
  store: Pick<Store, 'directory' | 'commitIndex'>,
  source: Pick<ChangesSource, 'ask'>,
  log: Pick<Logger, 'warn'>,
): (signal: AbortSignal) => Promise<void> {
  let isBack = false
  return async (signal) => {
    const { ID = '', promoted }: Partial<ClusterRecord> = store.directory().system('cluster')?.Value ?? {}
    const wasBack = isBack
    isBack = await source.ask({ index: store.commitIndex(), cluster: ID, wait: '1ms' }, signal).then(
      () => false,
      (error: unknown) => error instanceof AclError && error.code === 'primary_superseded',
    )
    if (!isBack || wasBack) return
    log.warn(
      { promoted },
      `${promoted?.from} is back and is still a primary: writes made there do not arrive here. Stop its servers, check what only it has ` +
        'with "latchkey-server replication compare", and let it follow this datacenter',
    )
  }
}
