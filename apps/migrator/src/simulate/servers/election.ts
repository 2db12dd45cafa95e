/** Elections in a datacenter. The order of the servers in the file decides, which makes runs deterministic. */

import type { DatacenterState, ServerState } from '../datacenter.ts'
import { PHASE } from '../queue.ts'
import { tellIntentionsLeader } from '../tokens/intentions.ts'
import { leaderHasNewMode, stopMigration } from '../tokens/migration.ts'
import { wakeReplication } from '../tokens/replication.ts'
import { changed, isRunning, record, type World } from '../world.ts'
import { look } from './looks.ts'

export function loseLeader(world: World, datacenter: DatacenterState): void {
  stopMigration(world, datacenter)
  setLeader(world, datacenter, undefined)
  queueElection(world, datacenter)
}

function setLeader(world: World, datacenter: DatacenterState, server: ServerState | undefined): void {
  datacenter.leader = server
  datacenter.term += 1
  const { term, spec } = datacenter
  record(world, { kind: 'leader', datacenter: spec.name, server: server?.spec.id, term })
  changed(world)
}

/** Replaces a leader that is paused for the election time. A shorter pause has no effect. */
export function loseLeaderAfterPause(world: World, datacenter: DatacenterState, leader: ServerState): void {
  const { lives } = leader
  const pauseMs = world.scenario.electionMs ?? world.model.pauseMsDefault
  world.queue.push(world.now + pauseMs, PHASE.election, () => {
    if (datacenter.leader !== leader || leader.lives !== lives || isRunning(leader)) return
    const winner = winnerOf(world, datacenter)
    if (winner === undefined) return
    loseLeader(world, datacenter)
    win(world, datacenter, winner)
  })
}

export function electIfNeeded(world: World, datacenter: DatacenterState): void {
  if (datacenter.leader !== undefined) return
  const voters = votersOf(datacenter)
  const [only] = voters
  if (voters.length === 1 && only !== undefined && isRunning(only)) win(world, datacenter, only)
  else queueElection(world, datacenter)
}

function queueElection(world: World, datacenter: DatacenterState): void {
  const { term } = datacenter
  if (datacenter.electionTerm === term) return
  datacenter.electionTerm = term
  world.queue.push(world.now + electionMs(world), PHASE.election, () => {
    if (datacenter.term !== term) return
    datacenter.electionTerm = undefined
    const winner = datacenter.leader === undefined ? winnerOf(world, datacenter) : undefined
    if (winner !== undefined) win(world, datacenter, winner)
  })
}

function win(world: World, datacenter: DatacenterState, winner: ServerState): void {
  install(world, datacenter, winner)
  look(world, winner)
}

export function forceElection(world: World, server: ServerState): void {
  const { datacenter } = server
  datacenter.favourite = server
  if (datacenter.leader !== undefined) loseLeader(world, datacenter)
}

export function install(world: World, datacenter: DatacenterState, server: ServerState): void {
  datacenter.lastLeader = server
  datacenter.favourite = undefined
  setLeader(world, datacenter, server)
  if (server.process?.mode === 'new') leaderHasNewMode(world, datacenter)
  tellIntentionsLeader(world, datacenter)
  wakeReplication(world)
}

/** The first server in the file that is up; without a majority, none. The previous leader wins only if no other server can. */
function winnerOf(world: World, datacenter: DatacenterState): ServerState | undefined {
  const voters = votersOf(datacenter)
  const candidates = voters.filter(isRunning)
  if (!world.model.sharesStore && candidates.length * 2 <= voters.length) return undefined
  const favourite = candidates.find((server) => server === datacenter.favourite)
  return favourite ?? candidates.find((server) => server !== datacenter.lastLeader) ?? candidates[0]
}

/** Members that have not left. Dead servers count for the majority. */
function votersOf(datacenter: DatacenterState): ServerState[] {
  return datacenter.servers.filter((server) => server.isMember && server.status !== 'left')
}

function electionMs(world: World): number {
  return world.scenario.electionMs ?? world.model.electionMsDefault
}
