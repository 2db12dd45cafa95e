/** Starts, stops, pauses and resumes servers and agents. */
import type { Place } from '../../errors.ts'
import { impossible } from '../../scenario/source.ts'
import { formatSeconds } from '../../scenario/time.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast, NEW_ACLS } from '../../version.ts'
import { type AgentState, Process, type ServerState } from '../datacenter.ts'
import { PHASE } from '../queue.ts'
import { tellIntentionsLeader } from '../tokens/intentions.ts'
import { interruptPass, leaderHasNewMode, overduePass, stopMigration } from '../tokens/migration.ts'
import { wakeReplication } from '../tokens/replication.ts'
import { changed, record, recordProcess, type World } from '../world.ts'
import { electIfNeeded, loseLeader, loseLeaderAfterPause } from './election.ts'
import { leave, noticeFailure, tell } from './gossip.ts'
import { queueLook, timedLook } from './looks.ts'

interface StartOptions {
  readonly detail: string
  readonly place: Place
  readonly keepsLeading?: boolean
}

/** @throws InputError for a version that cannot read the upgraded data (spec 9.2.5) or the intentions. */
export function startProcess(world: World, server: ServerState, options: StartOptions): void {
  const { version, acls, datacenter } = server
  refuseDowngrade(world, server, options.place)
  const refusal = world.model.startRefusal({
    version,
    legacyRightsCount: world.store.count('legacyRights'),
    unmigratedCount: world.store.count('unmigrated'),
  })
  if (refusal !== undefined) {
    stopProcess(world, server, 'restart')
    recordProcess(world, server, 'refused', { version, acls, mode: 'new' }, refusal)
    return
  }
  const mode = world.model.modeAtStart({ version, acls, hasCompleted: datacenter.hasCompleted })
  server.process = new Process(version, acls, mode)
  server.isMember = true
  server.isGossipStale = false
  server.status = 'alive'
  server.lives += 1
  server.newModeAt = mode === 'new' ? world.now : undefined
  recordProcess(world, server, 'up', server.process, options.detail)
  changed(world)
  tell(world, server)
  if (mode === 'legacy') queueLook(world, server)
  if (datacenter.leader === server && options.keepsLeading === true) {
    if (mode === 'new') leaderHasNewMode(world, datacenter)
    else stopMigration(world, datacenter)
    tellIntentionsLeader(world, datacenter)
  } else {
    electIfNeeded(world, datacenter)
  }
  wakeReplication(world)
}

/** Spec 9.2.5, and the same rule for intention config entries, with which versions before 1.9.0 crash at start. */
function refuseDowngrade(world: World, { spec, version, datacenter }: ServerState, place: Place): void {
  const { intentions, hasCompleted } = datacenter
  const { name } = datacenter.spec
  const readsEntries = world.model.name === 'latchkey' || isAtLeast(version, INTENTIONS_AS_ENTRIES)
  const since = datacenter === world.primary ? world.completedAt : undefined
  const when = since === undefined ? '' : ` since ${formatSeconds(since)}`
  let why: string
  if (intentions.hasEntries && !readsEntries)
    why = `the intentions of ${name} are config entries, which versions before 1.9.0 cannot read`
  else if (hasCompleted && !isAtLeast(version, NEW_ACLS))
    why = `the upgrade of ${name} to the new ACL system is complete${when} and cannot be undone (spec 9.2.5)`
  else return
  const wayBack = 'the way back is a snapshot taken before, restored into empty servers of the old version'
  throw impossible(`${spec.id} cannot run ${version.text}`, world.now, `as ${why}; ${wayBack}`, place)
}

export function stopProcess(world: World, server: ServerState, how: 'crash' | 'leave' | 'restart'): void {
  const { process, datacenter } = server
  if (process === undefined) return
  server.process = undefined
  recordProcess(world, server, 'down', process, how)
  changed(world)
  if (how === 'leave') leave(world, server)
  else noticeFailure(world, server)
  if (how === 'restart') leaveUnlessBack(world, server)
  if (datacenter.leader === server) loseLeader(world, datacenter)
}

function leaveUnlessBack(world: World, server: ServerState): void {
  const { stoppedCountsMs } = world.model
  if (stoppedCountsMs === undefined) return
  const { lives } = server
  // The first instant at which the server no longer counts.
  world.queue.push(world.now + stoppedCountsMs + 1, PHASE.message, () => {
    if (server.lives === lives && server.process === undefined) leave(world, server)
  })
}

/** SIGSTOP: the process does nothing, and other servers eventually see it as failed. */
export function pauseProcess(world: World, server: ServerState): void {
  const { process, datacenter } = server
  if (process === undefined) return
  process.isPaused = true
  recordProcess(world, server, 'paused', process, '')
  noticeFailure(world, server)
  if (datacenter.leader !== server) return
  interruptPass(world, datacenter)
  loseLeaderAfterPause(world, datacenter, server)
}

export function resumeProcess(world: World, server: ServerState): void {
  const { process, datacenter } = server
  if (process === undefined) return
  process.isPaused = false
  server.status = 'alive'
  server.lives += 1
  recordProcess(world, server, 'resumed', process, '')
  changed(world)
  tell(world, server)
  if (process.isLookOverdue) timedLook(world, server)
  if (datacenter.leader === server) overduePass(world, datacenter)
  electIfNeeded(world, datacenter)
  wakeReplication(world)
}

export function startAgent(world: World, agent: AgentState): void {
  const { spec } = agent
  const mode = world.model.modeAtStart({ version: spec.version, acls: true, hasCompleted: false })
  agent.process = new Process(spec.version, true, mode)
  agent.newModeAt = mode === 'new' ? world.now : undefined
  record(world, { kind: 'agent-mode', agent: spec.id, datacenter: spec.datacenter, mode })
  if (mode === 'legacy') queueLook(world, agent)
}
