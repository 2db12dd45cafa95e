/** A store that follows a world, step by step. */

import type { ReplicationRecord } from '@latchkey/acl'
import type {
  ChangesAnswer,
  ChangesQuery,
  ReplicationProgress,
  ReplicationStep,
  ReplicatorOptions,
} from '@latchkey/service'
import { MemoryStore, Replicator, serviceSource } from '@latchkey/service'
import { SeededRandom } from '../random.ts'
import { putOf } from '../records/changes.ts'
import { MANAGEMENT, type World } from '../service/world.ts'

const NEVER = new AbortController().signal

export interface Secondary {
  /** Can be replaced. */
  primary: World
  readonly store: MemoryStore
  /** Changes or refuses what the primary answers. */
  edit: (answer: ChangesAnswer) => ChangesAnswer
  /** How long each request lets the primary wait. */
  readonly waits: (string | undefined)[]
  step(): Promise<ReplicationStep>
  /** Steps until nothing is new. */
  settle(): Promise<ReplicationStep>
  status(): ReplicationProgress
  record(): ReplicationRecord
  /** Starts a new replicator on the same store. */
  restart(changed?: Partial<ReplicatorOptions>): void
  /** Accepts the cluster of the primary's last answer, as an operator. */
  accept(): void
}

/** A secondary in `dc1`'s name, with an empty store unless one is given. A wait for changes ends at once. */
export function aSecondary(
  primary: World,
  options: Partial<ReplicatorOptions> & { readonly store?: MemoryStore } = {},
): Secondary {
  const { clock } = primary
  const store = options.store ?? new MemoryStore(clock)
  const source = {
    async ask(query: ChangesQuery, signal: AbortSignal) {
      secondary.waits.push(query.wait)
      const handle = (request: Parameters<World['service']['handle']>[0]) => {
        const answer = secondary.primary.service.handle(request)
        void secondary.primary.clock.advance(20_000)
        return answer
      }
      return secondary.edit(await serviceSource({ handle, secretId: () => MANAGEMENT }).ask(query, signal))
    },
  }
  const start = (changed: Partial<ReplicatorOptions> = {}) =>
    new Replicator({
      ...{ source, clock, sleeper: clock, random: new SeededRandom(1) },
      ...{ primaryDatacenter: 'dc1', kinds: 'all', ...options, ...changed, store },
    })
  let replicator = start()
  const secondary: Secondary = {
    primary,
    store,
    edit: (answer) => answer,
    waits: [],
    step: () => replicator.step(NEVER),
    async settle() {
      for (;;) {
        const step = await replicator.step(NEVER)
        if (!['applied', 'copied'].includes(step.outcome)) return step
      }
    },
    status: () => replicator.status(),
    record: () => store.directory().system('replication')?.Value as ReplicationRecord,
    restart(changed) {
      replicator = start(changed)
    },
    accept() {
      const stored = store.directory().system('replication')
      const Value = { ...secondary.record(), accepted: replicator.status().primaryCluster ?? '' }
      const record = { Key: 'replication', Value, CreateIndex: 0, ModifyIndex: 0 } as const
      store.commitNow([putOf('system', record, stored?.ModifyIndex)])
    },
  }
  return secondary
}
