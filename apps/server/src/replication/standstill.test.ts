/**
 * REP-01: after a minute without an answer of the primary, status, metrics and log report it. The test sets the clock.
 */
import type { ReplicationRecord } from '@latchkey/acl'
import { MemoryStore, Replicator } from '@latchkey/service'
import { SeededRandom } from '@latchkey/testkit/random'
import { VirtualClock } from '@latchkey/testkit/service/virtual-clock'
import { expect, test } from 'vitest'
import { createMetrics } from '../telemetry/metrics.ts'
import { watchReplication } from '../telemetry/replication-metrics.ts'
import { replicationStateOf } from './replication-state.ts'
import { Standstill } from './standstill.ts'

const START = Date.UTC(2031, 0, 1)
const nothing = () => ({ Namespaces: [], Policies: [], Roles: [], Tokens: [] })

test('replication runs for a minute after the last answer, then status, metrics and log say that it has stalled', async () => {
  const clock = new VirtualClock(START)
  const store = new MemoryStore(clock)
  const link = { isCut: false, datacenter: 'dc1' }
  const replicator = new Replicator({
    ...{ store, clock, sleeper: clock, random: new SeededRandom(1), primaryDatacenter: 'dc1', kinds: 'all' },
    source: {
      async ask({ index, cursor }) {
        if (link.isCut) throw new Error('cut')
        const after = index === undefined ? cursor : String(index)
        const Time = new Date(clock.now()).toISOString()
        const about = {
          Cluster: 'c',
          Datacenter: link.datacenter,
          Index: 5,
          Time,
          ...(after && { After: after }),
        }
        return { changes: { ...about, ...nothing(), Deleted: nothing() }, nextCursor: undefined }
      },
    },
  })
  const logged: string[] = []
  const note = (level: string) => (facts: object, text: string) =>
    logged.push(`${level} ${text}: ${(facts as { lastErrorMessage?: string }).lastErrorMessage}`)
  const standstill = new Standstill({ warn: note('warn'), info: note('info') })
  const report = () => ({ ...replicator.status(), since: START, isPrimaryLegacy: false })
  const stateNow = () =>
    replicationStateOf({
      source: 'dc1',
      isLegacyMode: false,
      record: store.directory().system('replication')?.Value as ReplicationRecord,
      report: report(),
      now: clock.now(),
    })
  const metrics = createMetrics()
  watchReplication(metrics, { state: async () => stateNow(), report: async () => report() })
  const gauge = async (name: string) =>
    Number(
      new RegExp(`^latchkey_replication_${name} (\\S+)$`, 'm').exec(await metrics.registry.metrics())?.[1],
    )
  const seen = async () => {
    standstill.look(report(), clock.now())
    return [stateNow().running, await gauge('running'), await gauge('lag_seconds'), logged.splice(0)]
  }
  const step = () => replicator.step(new AbortController().signal)

  await step()
  await step()
  expect(await seen()).toEqual([true, 1, 0, []])
  link.isCut = true
  await step()
  await clock.advance(59_999)
  expect(await seen()).toEqual([true, 1, 59.999, []])
  await clock.advance(1)
  const still = 'warn replication from the primary datacenter has stalled'
  expect(await seen()).toEqual([false, 0, 60, [`${still}: cut`]])
  await clock.advance(60_000)
  expect(await seen()).toEqual([false, 0, 120, []])
  link.isCut = false
  link.datacenter = 'dc3'
  await step()
  const paused = 'replication paused: the server is of datacenter "dc3", not of "dc1"'
  expect(await seen()).toEqual([false, 0, 120, [`${still}: ${paused}`]])
  link.datacenter = 'dc1'
  await step()
  expect(await seen()).toEqual([true, 1, 0, [expect.stringMatching(/^info .* continues/)]])
})
