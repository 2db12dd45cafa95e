/** Metrics of replication from the primary datacenter; a primary has none. */
import { REPLICATED_TABLES, type ReplicationState, type ReplicationStep } from '@latchkey/service'
import { Counter } from 'prom-client'
import { failureReason } from '../replication/replication.ts'
import type { ReplicationReport } from '../replication/replication-state.ts'
import type { Metrics } from './metrics.ts'

/** Registers the counters, which only the replicating process increments. @returns a function that counts a step. */
export function countReplication(metrics: Metrics): (step: ReplicationStep) => void {
  const applied = new Counter({
    name: 'latchkey_replication_applied_total',
    help: 'Records of the primary datacenter that this process wrote (put) or deleted, by kind.',
    labelNames: ['kind', 'op'],
    registers: [metrics.registry],
  })
  const failures = new Counter({
    name: 'latchkey_replication_failures_total',
    help: 'Failed rounds of replication, by reason.',
    labelNames: ['reason'],
    registers: [metrics.registry],
  })
  const mended = new Counter({
    name: 'latchkey_replication_mended_total',
    help: 'Records that the daily copy found to differ from those of the primary datacenter and mended, by kind.',
    labelNames: ['kind'],
    registers: [metrics.registry],
  })
  for (const kind of REPLICATED_TABLES) mended.inc({ kind }, 0)
  return (step) => {
    for (const [kind, count] of Object.entries(step.mended ?? {})) mended.inc({ kind }, count)
    for (const [kind, { put, deleted }] of Object.entries(step.counts ?? {})) {
      if (put > 0) applied.inc({ kind, op: 'put' }, put)
      if (deleted > 0) applied.inc({ kind, op: 'delete' }, deleted)
    }
    if (step.outcome === 'failed' || step.outcome === 'paused') failures.inc({ reason: failureReason(step) })
  }
}

/** Registers the gauges. All processes report the same values, from the process that replicates. */
export function watchReplication(
  metrics: Metrics,
  view: { state(): Promise<ReplicationState | undefined>; report(): Promise<ReplicationReport | undefined> },
): void {
  const gauge = (name: string, help: string, read: (state: ReplicationState) => number | undefined) =>
    metrics.gauge(`latchkey_replication_${name}`, help, async () => {
      const state = await view.state()
      return (state && read(state)) ?? 0
    })
  gauge(
    'running',
    'Whether the primary datacenter has given a usable answer within the last minute: 1 or 0.',
    (s) => +s.running,
  )
  gauge('lag_seconds', 'How old the records of the primary datacenter may be.', (s) => s.lagSeconds)
  gauge(
    'lag_index',
    'How far these records are behind the commit index of the primary in its last answer.',
    (s) => s.lagIndex,
  )
  gauge('skipped', 'Global tokens that cannot be stored here.', (s) => s.skipped.length)
  gauge(
    'last_success_timestamp_seconds',
    'When the primary datacenter last gave a usable answer: seconds since the epoch, 0 for never.',
    (s) => Math.max(0, Date.parse(s.lastSuccess) / 1_000),
  )
  metrics.gauge(
    'latchkey_replication_clock_offset_seconds',
    'Seconds by which the clock of the primary datacenter is ahead of the local one.',
    async () => ((await view.report())?.clockOffsetMs ?? 0) / 1_000,
  )
}
