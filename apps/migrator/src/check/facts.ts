/** Facts derived from a recorded history, independently of the code that produced it. */
import type { ServiceVersion } from '@latchkey/contract'
import type { HistoryRecord, Mode, RecordOf } from '../simulate/history.ts'
import type { History } from '../simulate/run.ts'

export interface Violation {
  readonly rule: string
  /** Milliseconds on the clock of the scenario. */
  readonly at: number
  readonly detail: string
}

export interface ServerSpan {
  readonly datacenter: string
  readonly from: number
  /** Exclusive end; Infinity if it never ends. */
  readonly to: number
  /** `down`: crashed, left or restarting. `paused`: present, but others may consider it failed. */
  readonly state: 'up' | 'paused' | 'down'
  readonly how: string
  readonly version: ServiceVersion
  readonly acls: boolean
  readonly mode: Mode
}

export const FORGOTTEN = 'forgotten'

export function recordsOf<K extends HistoryRecord['kind']>(history: History, kind: K): RecordOf<K>[] {
  return history.records.filter((each): each is RecordOf<K> => each.kind === kind)
}

/** The records that still have an effect at the end: a restore undoes the token writes and batches since its snapshot. */
export function lastingRecords({ records, primary }: History): readonly HistoryRecord[] {
  const restores = [...records.entries()].flatMap(([until, each]) =>
    each.kind === 'restored' && each.datacenter === primary ? [{ from: each.recordsThen, until }] : [],
  )
  return records.filter(
    ({ kind }, i) =>
      (kind !== 'tokens' && kind !== 'batch') || !restores.some(({ from, until }) => from <= i && i < until),
  )
}

export const PROCESS_STATES = {
  up: 'up',
  resumed: 'up',
  paused: 'paused',
  down: 'down',
  refused: 'down',
} as const

/** The state of each server over time. Outside its spans, other servers do not know the server. */
export function spansOf(history: History): ReadonlyMap<string, readonly ServerSpan[]> {
  const spans = new Map<string, ServerSpan[]>()
  const open = (server: string, span: ServerSpan) => {
    const list = spans.get(server) ?? []
    const last = list.at(-1)
    if (last !== undefined) list[list.length - 1] = { ...last, to: span.from }
    spans.set(server, [...list, span])
  }
  for (const each of history.records) {
    if (each.kind === 'process') {
      const state = PROCESS_STATES[each.state]
      open(each.server, { ...each, from: each.at, to: Number.POSITIVE_INFINITY, state, how: each.detail })
    }
    if (each.kind === 'mode') {
      const last = spans.get(each.server)?.at(-1)
      if (last !== undefined) open(each.server, { ...last, from: each.at, mode: each.mode })
    }
    // An operator marks a dead server as left; later the member lists forget it.
    if ((each.kind === 'member' && each.status === 'left') || each.kind === 'reaped') {
      const last = spans.get(each.server)?.at(-1)
      const how = each.kind === 'reaped' ? FORGOTTEN : 'left'
      if (last?.state === 'down') open(each.server, { ...last, from: each.at, how })
    }
  }
  return spans
}

/** The periods in which each server was in legacy mode. A period without `to` never ends. */
export function legacyStretches(
  history: History,
): ReadonlyMap<string, readonly { readonly from: number; readonly to: number | undefined }[]> {
  const stretches = new Map<string, { from: number; to: number | undefined }[]>()
  for (const each of history.records) {
    if (each.kind !== 'process' && each.kind !== 'mode') continue
    const list = stretches.get(each.server) ?? []
    stretches.set(each.server, list)
    const open = list.find(({ to }) => to === undefined)
    const isLegacy = each.mode === 'legacy' && (each.kind === 'mode' || each.state !== 'down')
    const isNewProcess = each.kind === 'process' && each.state === 'up'
    if (open !== undefined && (!isLegacy || isNewProcess)) open.to = each.at
    if (isLegacy && (open === undefined || isNewProcess)) list.push({ from: each.at, to: undefined })
  }
  return stretches
}

export function during(spans: readonly ServerSpan[], from: number, to: number): ServerSpan[] {
  return spans.filter((span) => span.from <= to && span.to >= from)
}

export function staleMs(history: History): number {
  return history.messageMs + history.failureDetectionMs
}
