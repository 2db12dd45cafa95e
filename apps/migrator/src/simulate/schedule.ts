/** Puts the initial state and the events of a scenario on the clock. */
import { linkKey, type ScenarioEvent, type ScenarioEventOf, type ServerSpec } from '../scenario/scenario.ts'
import { isAtLeast, NEW_ACLS } from '../version.ts'
import { Process, type ServerState } from './datacenter.ts'
import type { Mode } from './history.ts'
import { PHASE } from './queue.ts'
import { restore, takeSnapshots } from './restore.ts'
import { forceElection, install } from './servers/election.ts'
import { knowBeforehand, leave, noticeUnreachable, tellAgain } from './servers/gossip.ts'
import { pauseProcess, resumeProcess, startAgent, startProcess, stopProcess } from './servers/processes.ts'
import { wakeReplication } from './tokens/replication.ts'
import { changeTokens, convertTokens, createTokens } from './tokens/token-events.ts'
import { changed, datacenterOf, record, recordProcess, serverOf, type World } from './world.ts'

export function scheduleScenario(world: World): void {
  for (const server of world.servers.values()) bringBack(world, server)
  for (const datacenter of world.datacenters) {
    const leader = datacenter.servers.find((server) => server.spec.isFirstLeader)
    if (leader !== undefined) install(world, datacenter, leader)
  }
  for (const server of world.servers.values()) {
    if (server.process === undefined) continue
    world.queue.push(server.spec.startMs, PHASE.schedule, () => plannedStart(world, server))
  }
  for (const agent of world.datacenters.flatMap((each) => each.agents)) {
    world.queue.push(agent.spec.startMs, PHASE.schedule, () => startAgent(world, agent))
  }
  for (const event of world.scenario.events) {
    world.queue.push(event.atMs, PHASE.schedule, () => happen(world, event))
  }
}

function bringBack(world: World, server: ServerState): void {
  const { spec, datacenter } = server
  if (spec.joinsLater) return
  if (spec.status !== 'alive') {
    const mode = modeBefore({ ...spec, from: spec.version })
    server.lastMode = mode
    recordProcess(world, server, 'down', { ...spec, mode }, spec.status)
    knowBeforehand(world, server)
    return
  }
  const mode = modeBefore(spec)
  server.process = new Process(spec.from, spec.acls, mode)
  knowBeforehand(world, server)
  if (mode === 'new') {
    datacenter.hasCompleted = true
    if (datacenter === world.primary) world.completedAt = 0
  }
  if (spec.startMs > 0) recordProcess(world, server, 'up', server.process, 'as before the upgrade')
}

/** A process that has been running for a long time has left legacy mode. */
function modeBefore({ from, acls }: Pick<ServerSpec, 'from' | 'acls'>): Mode {
  if (!isAtLeast(from, NEW_ACLS)) return 'old'
  return acls ? 'new' : 'off'
}

/** Replaces the old process. A leader from before 1.4.0 keeps leading; a newer process restarts. */
function plannedStart(world: World, server: ServerState): void {
  const { spec, process } = server
  const keepsLeading = spec.startMs === 0 || process?.mode === 'old'
  if (!keepsLeading) stopProcess(world, server, 'restart')
  startProcess(world, server, { detail: 'start', place: spec.place, keepsLeading })
}

type Happen<K extends ScenarioEvent['kind']> = (world: World, event: ScenarioEventOf<K>) => void

const EVENTS: { readonly [K in ScenarioEvent['kind']]: Happen<K> } = {
  crash: (world, { server }) => stopProcess(world, serverOf(world, server), 'crash'),
  leave: (world, { server }) => stopProcess(world, serverOf(world, server), 'leave'),
  'force-leave': (world, { server }) => leave(world, serverOf(world, server)),
  join: (world, { server, place }) => startProcess(world, serverOf(world, server), { detail: 'join', place }),
  start: restart,
  restart,
  pause: (world, { server }) => pauseProcess(world, serverOf(world, server)),
  resume: (world, { server }) => resumeProcess(world, serverOf(world, server)),
  elect: (world, { server }) => forceElection(world, serverOf(world, server)),
  'stale-gossip': (world, { server }) => {
    serverOf(world, server).isGossipStale = true
    record(world, { kind: 'stale-gossip', server })
  },
  snapshot: (world, { server: only }) => {
    for (const server of only === undefined ? world.servers.keys() : [only]) {
      record(world, { kind: 'snapshot', server })
    }
    takeSnapshots(world)
  },
  restore,
  partition: (world, { between }) => changeLink(world, between, 'down'),
  heal: (world, { between }) => changeLink(world, between, 'up'),
  'edit-intention': (world, { destination }) => {
    const migrated = world.primary.intentions.state === 'done'
    record(world, { kind: 'intention-edited', destination, migrated })
  },
  'create-tokens': createTokens,
  'edit-tokens': changeTokens,
  'delete-tokens': changeTokens,
  'convert-tokens': convertTokens,
}

function happen<K extends ScenarioEvent['kind']>(world: World, event: ScenarioEventOf<K>): void {
  const act: Happen<K> = EVENTS[event.kind as K]
  act(world, event)
}

function restart(world: World, event: ScenarioEventOf<'start' | 'restart'>): void {
  const server = serverOf(world, event.server)
  stopProcess(world, server, 'restart')
  server.version = event.version ?? server.version
  server.acls = event.acls ?? server.acls
  const start = () => startProcess(world, server, { detail: event.kind, place: event.place })
  if (event.downtimeMs === 0) start()
  else world.queue.push(world.now + event.downtimeMs, PHASE.schedule, start)
}

function changeLink(world: World, between: readonly [string, string], state: 'down' | 'up'): void {
  const key = linkKey(...between)
  if (world.linksDown.has(key) === (state === 'down')) return
  const [a, b] = [datacenterOf(world, between[0]), datacenterOf(world, between[1])]
  if (state === 'down') world.linksDown.add(key)
  else world.linksDown.delete(key)
  record(world, { kind: 'link', between, state })
  changed(world)
  const tellSide = state === 'down' ? noticeUnreachable : tellAgain
  tellSide(world, a, b)
  tellSide(world, b, a)
  if (state === 'up') wakeReplication(world)
}
