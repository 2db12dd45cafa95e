/**
 * The index of one service (spec 9.3, 1.0.7). Older servers answer with the index of all services, newer servers with
 * the lower index of this service. A watcher that moves from an older server to a newer one sees its index decrease.
 */
import { isBefore } from '@latchkey/contract'
import { version } from '../version.ts'
import type { Calls, Outcome } from './call.ts'
import type { ClusterState } from './cluster-states.ts'

export const DECREASED: Outcome = {
  kind: 'index-decreased',
  status: 200,
  text: 'X-…-Index is lower than in the answer before; a watcher that keeps the old one misses changes',
  isError: false,
}

/**
 * The calls in one period that see a decrease: whenever a newer server answers after an older one, and the
 * first one. @param watch the kind of server that gave the watcher its last index; updated.
 */
export function decreasedCalls(
  streams: readonly { readonly server: string; readonly calls: Calls }[],
  state: ClusterState,
  watch: { last: 'old' | 'new' | undefined },
): Calls[] {
  const answered = streams.flatMap(({ server: id, calls }) => {
    const server = state.servers.get(id)
    if (server?.state !== 'up') return []
    return [{ calls, kind: isBefore(server.version, version('1.0.7')) ? ('old' as const) : ('new' as const) }]
  })
  if (answered.length === 0) return []
  const decreased = answered
    .filter(({ kind }, i) => kind === 'new' && answered.at(i - 1)?.kind === 'old')
    .map(({ calls }) => calls)
  const isOld = answered.some(({ kind }) => kind === 'old')
  if (watch.last === 'old' && !isOld) {
    const times = streams.filter(({ calls }) => calls.count > 0).map(({ calls }) => calls.first)
    const first = Math.min(...times)
    if (times.length > 0) decreased.push({ first, last: first, count: 1 })
  }
  watch.last = isOld ? 'old' : 'new'
  return decreased
}
