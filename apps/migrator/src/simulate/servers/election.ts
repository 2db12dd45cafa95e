/** Elections in a datacenter. The order of the servers in the file decides, which makes runs deterministic. */

import type { DatacenterState, ServerState } from '../datacenter.ts'
import { PHASE } from '../queue.ts'
import { tellIntentionsLeader } from '../tokens/intentions.ts'
import { leaderHasNewMode, stopMigration } from '../tokens/migration.ts'
import { wakeReplication } from '../tokens/replication.ts'
import { changed, isRunning, record, type World } from '../world.ts'
import { look, queueLook } from './looks.ts'

/** Handles the loss of the leader: its work stops, and an election begins. */
export function loseLeader(world: World, datacenter: DatacenterState): void {
  stopMigration(world, datacenter)
  datacenter.leader = undefined
  datacenter.term += 1
  record(world, {
    kind: 'leader',
    datacenter: datacenter.spec.name,
    server: undefined,
    term: datacenter.term,
  })
  changed(world)
  for (const server of datacenter.servers) {
    const { process } = server
    if (process === undefined) continue
    const mode = world.model.modeWithoutLeader(process.mode)
    if (mode === process.mode) continue
    process.mode = mode
    record(world, { kind: 'mode', server: server.spec.id, datacenter: datacenter.spec.name, mode })
    queueLook(world, server)
  }
  queueElection(world, datacenter)
}

/** Replaces a leader that is paused for the election time. A shorter pause has no effect. */
export function loseLeaderAfterPause(world: World, datacenter: DatacenterState, leader: ServerState): void {
  const { lives } = leader
  const pauseMs = world.scenario.electionMs ?? world.model.pauseMsDefault
  world.queue.push(world.now + pauseMs, PHASE.election, () => {
    if (datacenter.leader !== leader || leader.lives !== lives || isRunning(leader)) return
    if (winnerOf(world, datacenter) === undefined) return
    loseLeader(world, datacenter)
    elect(world, datacenter)
  })
}

/** Begins an election if there is a candidate but no leader. */
export function electIfNeeded(world: World, datacenter: DatacenterState): void {
  if (datacenter.leader !== undefined) return
  const voters = votersOf(datacenter)
  const [only] = voters
  // A single server needs no votes and no timeout.
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
    if (datacenter.leader === undefined) elect(world, datacenter)
  })
}

/** Without a majority, no server wins. */
function elect(world: World, datacenter: DatacenterState): void {
  const winner = winnerOf(world, datacenter)
  if (winner !== undefined) win(world, datacenter, winner)
}

/** The winner of an election looks at once, even if it was the only voter. */
function win(world: World, datacenter: DatacenterState, winner: ServerState): void {
  install(world, datacenter, winner)
  look(world, winner)
}

/** An election that a named server wins, if it and a majority are up at that time. */
export function forceElection(world: World, server: ServerState): void {
  const { datacenter } = server
  datacenter.favourite = server
  if (datacenter.leader !== undefined) loseLeader(world, datacenter)
}

/** Installs a leader, whose work begins at once if it is already in new mode. */
export function install(world: World, datacenter: DatacenterState, server: ServerState): void {
  datacenter.leader = server
  datacenter.lastLeader = server
  datacenter.favourite = undefined
  datacenter.term += 1
  record(world, {
    kind: 'leader',
    datacenter: datacenter.spec.name,
    server: server.spec.id,
    term: datacenter.term,
  })
  changed(world)
  if (server.process?.mode === 'new' && world.model.migratesAfterElection) leaderHasNewMode(world, datacenter)
  tellIntentionsLeader(world, datacenter)
  wakeReplication(world)
}

/** The first server in the file that is up. The previous leader wins only if no other server can. */
function winnerOf(world: World, datacenter: DatacenterState): ServerState | undefined {
  if (!hasMajority(world, datacenter)) return undefined
  const candidates = votersOf(datacenter).filter(isRunning)
  if (datacenter.favourite !== undefined && candidates.some((each) => each === datacenter.favourite))
    return datacenter.favourite
  return candidates.find((server) => server !== datacenter.lastLeader) ?? candidates[0]
}

function hasMajority(world: World, datacenter: DatacenterState): boolean {
  const voters = votersOf(datacenter)
  const running = voters.filter(isRunning).length
  return world.model.needsMajority ? running * 2 > voters.length : running > 0
}

/** Members that have not left. Dead servers count for the majority. */
function votersOf(datacenter: DatacenterState): ServerState[] {
  return datacenter.servers.filter((server) => server.isMember && server.status !== 'left')
}

function electionMs(world: World): number {
  return world.scenario.electionMs ?? world.model.electionMsDefault
}
