/** Questions about a recorded history. Nothing here knows how the history was made. */
import type { ServiceVersion } from '@latchkey/contract'
import type { History, HistoryRecord, Mode, RecordOf } from '../simulate/history.ts'

/** A rule that a history breaks. */
export interface Violation {
  readonly rule: string
  /** Milliseconds on the clock of the scenario. */
  readonly at: number
  readonly detail: string
}

export type Checker = (history: History) => readonly Violation[]

/** A stretch of time in which a server did not change. */
export interface ServerSpan {
  readonly from: number
  /** Up to, not including; infinite where it lasts. */
  readonly to: number
  /** `down`: crashed, left or restarting. `paused`: present, but others may consider it failed. */
  readonly state: 'up' | 'paused' | 'down'
  /** How it went down. */
  readonly how: string
  readonly version: ServiceVersion
  readonly acls: boolean
  readonly mode: Mode
}

/** Records of one kind, in order. */
export function recordsOf<K extends HistoryRecord['kind']>(history: History, kind: K): RecordOf<K>[] {
  return history.records.filter((each): each is RecordOf<K> => each.kind === kind)
}

/** What each server was, stretch by stretch. No server knows a server outside its spans. */
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
      const { at, version, acls, mode, detail } = each
      const states = { up: 'up', resumed: 'up', paused: 'paused', down: 'down', refused: 'down' } as const
      const state = states[each.state]
      open(each.server, { from: at, to: Number.POSITIVE_INFINITY, state, how: detail, version, acls, mode })
    }
    if (each.kind === 'mode') {
      const last = spans.get(each.server)?.at(-1)
      if (last !== undefined) open(each.server, { ...last, from: each.at, mode: each.mode })
    }
  }
  return spans
}

/** The stretches that touch a window of time, both ends included. */
export function during(spans: readonly ServerSpan[], from: number, to: number): ServerSpan[] {
  return spans.filter((span) => span.from <= to && span.to >= from)
}

/** Which datacenter each server belongs to. */
export function datacentersOf(history: History): ReadonlyMap<string, string> {
  return new Map(history.members.filter((each) => !each.isAgent).map((each) => [each.id, each.datacenter]))
}

/** Maximum age of outdated knowledge about another server. */
export function staleMs(history: History): number {
  return history.messageMs + history.failureDetectionMs
}
