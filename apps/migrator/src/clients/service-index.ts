/**
 * The index of one service (spec 9.3, 1.0.7). Older servers answer with the index of all services, newer servers with
 * the lower index of this service. A watcher that moves from an older server to a newer one sees its index decrease.
 */
import { isBefore } from '@latchkey/contract'
import type { WorkloadSpec } from '../scenario/scenario.ts'
import { version } from '../version.ts'
import { callsIn, type Outcome } from './call.ts'
import type { ClusterState } from './cluster-states.ts'
import type { Tally } from './tally.ts'

const DECREASED: Outcome = {
  kind: 'index-decreased',
  status: 200,
  text: 'X-…-Index is lower than in the answer before; a watcher that keeps the old one misses changes',
  isError: false,
}

/** The source of the last index that a watcher got. */
interface IndexWatch {
  last: 'old' | 'new' | undefined
}

export function createIndexWatch(): IndexWatch {
  return { last: undefined }
}

/** Counts the decreases in one period: at its first call, and whenever a newer server answers after an older one. */
export function countIndexDecreases(
  tally: Tally,
  workload: WorkloadSpec,
  streams: readonly { readonly server: string; readonly offset: number; readonly period: number }[],
  state: ClusterState,
  watch: IndexWatch,
  window: { readonly from: number; readonly to: number },
): void {
  const kinds = streams.map(({ server }) => kindOf(state, server))
  if (kinds.every((kind) => kind === undefined)) return
  for (const [i, stream] of streams.entries()) {
    const calls = callsIn(workload, stream, window)
    const before = previous(kinds, i)
    if (kinds[i] === 'new' && before === 'old') tally.add(workload.name, DECREASED, calls)
  }
  const answered = kinds.filter((kind) => kind !== undefined)
  if (watch.last === 'old' && answered.every((kind) => kind === 'new')) {
    const [first] = streams
      .map((stream) => callsIn(workload, stream, window))
      .filter(({ count }) => count > 0)
      .sort((a, b) => a.first - b.first)
    if (first !== undefined)
      tally.add(workload.name, DECREASED, { first: first.first, last: first.first, count: 1 })
  }
  watch.last = answered.includes('old') ? 'old' : 'new'
}

function kindOf(state: ClusterState, id: string): 'old' | 'new' | undefined {
  const server = state.servers.get(id)
  if (server?.state !== 'up') return undefined
  return isBefore(server.version, version('1.0.7')) ? 'old' : 'new'
}

/** The kind of server that answered before stream `i`, ignoring servers that do not answer. */
function previous(kinds: readonly ('old' | 'new' | undefined)[], i: number): 'old' | 'new' | undefined {
  for (let step = 1; step < kinds.length; step++) {
    const kind = kinds[(i - step + kinds.length) % kinds.length]
    if (kind !== undefined) return kind
  }
  return undefined
}
