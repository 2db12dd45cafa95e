import type { ClusterRecord } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import type { ChangesSource, Store } from '@latchkey/service'
import type { Logger } from 'pino'

interface OldPrimaryParts {
  readonly store: Pick<Store, 'directory' | 'commitIndex'>
  /** The server that the settings still name as the primary. */
  readonly source: ChangesSource
  readonly log: Pick<Logger, 'warn'>
}

/** Watches, in a promoted datacenter, for the primary that it replaced: two primaries must not go unnoticed. Decisions: promotion. */
export class OldPrimary {
  private readonly parts: OldPrimaryParts
  private isBack = false

  constructor(parts: OldPrimaryParts) {
    this.parts = parts
  }

  /** Sends one request. A primary refuses the index of its successor, which shows that it is back; warns once. */
  async look(signal: AbortSignal): Promise<void> {
    const { store, source, log } = this.parts
    const { ID = '', promoted }: Partial<ClusterRecord> = store.directory().system('cluster')?.Value ?? {}
    const query = { index: store.commitIndex(), cluster: ID, wait: '1ms' }
    const wasBack = this.isBack
    this.isBack = await source.ask(query, signal).then(
      () => false,
      (error: unknown) => error instanceof AclError && error.code === 'primary_superseded',
    )
    if (!this.isBack || wasBack) return
    const name = promoted?.from
    log.warn(
      { promoted },
      `${name} is back and is still a primary: writes made there do not arrive here. Stop its servers, check what only it has ` +
        'with "latchkey-server replication compare", and let it follow this datacenter',
    )
  }
}
