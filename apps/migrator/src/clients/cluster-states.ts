/** The cluster as clients see it: periods in which every call has the same outcome. */
import type { ServiceVersion } from '@latchkey/contract'
import { PROCESS_STATES } from '../check/facts.ts'
import { linkKey } from '../scenario/scenario.ts'
import type { HistoryRecord, Mode } from '../simulate/history.ts'
import type { History } from '../simulate/run.ts'

interface ServerNow {
  readonly version: ServiceVersion
  readonly mode: Mode
  readonly state: 'up' | 'down' | 'paused'
}

/** The state from `from` to `to`, exclusive. The iterator reuses the object: read it before the next step. */
export interface ClusterState {
  from: number
  to: number
  readonly servers: Map<string, ServerNow>
  readonly leaders: Map<string, string | undefined>
  readonly linksDown: Set<string>
  intentionsAreMigrated: boolean
  /** Servers with a snapshot from before 1.4.0, which later versions read as bootstrapped. */
  readonly oldSnapshots: Set<string>
  readonly editedDestinations: Set<string>
  readonly started: Set<string>
}

export function* clusterStates(history: History): Generator<ClusterState> {
  const state: ClusterState = {
    from: 0,
    to: 0,
    servers: new Map(),
    leaders: new Map(),
    linksDown: new Set(),
    intentionsAreMigrated: false,
    oldSnapshots: new Set(),
    editedDestinations: new Set(),
    started: new Set(),
  }
  for (const each of history.records) {
    if (!SEEN.has(each.kind)) continue
    if (each.at > state.from) {
      state.to = each.at
      yield state
      state.from = each.at
      state.started.clear()
    }
    apply(state, each, history.primary)
  }
  state.to = history.endedAt
  if (state.to > state.from) yield state
}

const SEEN: ReadonlySet<string> = new Set<HistoryRecord['kind']>([
  ...(['process', 'mode', 'leader', 'link', 'snapshot'] as const),
  ...(['intentions', 'intention-edited'] as const),
])

function apply(state: ClusterState, each: HistoryRecord, primary: string): void {
  switch (each.kind) {
    case 'process': {
      const { server, version, mode } = each
      state.servers.set(server, { version, mode, state: PROCESS_STATES[each.state] })
      if (each.state === 'up') state.started.add(each.server)
      break
    }
    case 'mode': {
      const server = state.servers.get(each.server)
      if (server !== undefined) state.servers.set(each.server, { ...server, mode: each.mode })
      break
    }
    case 'leader':
      state.leaders.set(each.datacenter, each.server)
      break
    case 'link':
      if (each.state === 'down') state.linksDown.add(linkKey(...each.between))
      else state.linksDown.delete(linkKey(...each.between))
      break
    case 'intentions':
      if (each.datacenter === primary) state.intentionsAreMigrated = each.state === 'done'
      break
    case 'snapshot':
      if (state.servers.get(each.server)?.mode === 'old') state.oldSnapshots.add(each.server)
      break
    case 'intention-edited':
      if (each.migrated) state.editedDestinations.add(each.destination)
      break
  }
}
