/** A process in legacy mode looks at the others on a timer, and leaves when none blocks it. Spec 9.2.2. */

import type { AgentState, DatacenterState, Process, ServerState } from '../datacenter.ts'
import type { Look, MemberView } from '../models/model.ts'
import { PHASE } from '../queue.ts'
import { leaderHasNewMode } from '../tokens/migration.ts'
import { changed, isLinkUp, isRunning, record, type World } from '../world.ts'
import { membersOf, tell } from './gossip.ts'

/** Queues the next look of a process. The first look is at the start of an agent, or 50 ms after that of a server. */
export function queueLook(world: World, owner: ServerState | AgentState): void {
  const { process } = owner
  if (process === undefined) return
  const isFirstOfAgent = owner.kind === 'agent' && process.lookedAtChange === -1
  const delayMs = isFirstOfAgent ? 0 : world.model.lookDelayMs(process.looks)
  const due = () => {
    if (owner.process !== process || process.mode !== 'legacy') return
    if (process.isPaused) process.isLookOverdue = true
    else timedLook(world, owner, isFirstOfAgent ? 0 : 1)
  }
  world.queue.push(world.now + delayMs, PHASE.look, due, { passive: true })
}

export function timedLook(world: World, owner: ServerState | AgentState, count = 1): void {
  const { process } = owner
  if (process?.mode !== 'legacy') return
  process.isLookOverdue = false
  process.looks += count
  look(world, owner)
  if (process.mode === 'legacy') queueLook(world, owner)
}

export function look(world: World, owner: ServerState | AgentState): void {
  const { process } = owner
  if (process === undefined || process.isPaused || process.mode !== 'legacy') return
  process.waitsFor = world.model.waitsFor(lookOf(world, owner, process))
  process.lookedAtChange = world.changes
  if (process.waitsFor.length === 0) leaveLegacyMode(world, owner, process)
}

function lookOf(world: World, owner: ServerState | AgentState, process: Process): Look {
  const { datacenter } = owner
  const { leader } = datacenter
  const own = membersOf(datacenter, datacenter, owner.kind === 'agent' ? undefined : selfView(owner, process))
  const role = owner.kind === 'agent' ? 'agent' : leader === owner ? 'leader' : 'follower'
  const isPrimary = datacenter === world.primary
  return {
    version: process.version,
    role,
    isPrimary,
    own,
    primary: isPrimary ? [] : primaryOf(world, datacenter),
    leader: leader === undefined ? undefined : own.find((member) => member.server === leader.spec.id),
  }
}

/** The servers of the primary, as the secondary knows them from gossip or as they answer now. */
function primaryOf(world: World, datacenter: DatacenterState): readonly MemberView[] {
  const { model, primary } = world
  if (!model.asksPrimary) return membersOf(datacenter, primary, undefined)
  if (!isLinkUp(world, datacenter, primary)) return []
  return primary.servers.filter(isRunning).map((server) => selfView(server, server.process))
}

function selfView(server: ServerState, process: Process): MemberView {
  return { server: server.spec.id, status: 'alive', mode: process.mode }
}

function leaveLegacyMode(world: World, owner: ServerState | AgentState, process: Process): void {
  if (owner.kind === 'agent') {
    const { id: agent, datacenter } = owner.spec
    process.mode = 'new'
    owner.newModeAt = world.now
    record(world, { kind: 'agent-mode', agent, datacenter, mode: 'new' })
    return
  }
  const { datacenter } = owner
  const together = world.model.sharesStore ? datacenter.servers : [owner]
  for (const server of together) {
    if (server.process?.mode === 'legacy') enterNewMode(world, server, server.process)
  }
  if (datacenter.leader !== owner && !world.model.sharesStore) return
  // The leader wrote the first policy: the data can no longer be downgraded. Spec 9.2.5.
  datacenter.hasCompleted = true
  if (datacenter === world.primary) world.completedAt ??= world.now
  leaderHasNewMode(world, datacenter)
}

function enterNewMode(world: World, server: ServerState, process: Process): void {
  process.mode = 'new'
  process.waitsFor = []
  server.newModeAt = world.now
  const { id, datacenter } = server.spec
  record(world, { kind: 'mode', server: id, datacenter, mode: 'new' })
  changed(world)
  tell(world, server)
}
