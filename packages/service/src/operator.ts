/** The servers as operators of existing services know them: peers, their health and their cleanup. Decisions: agent. */
import type { AutopilotRecord, Directory } from '@latchkey/acl'
import { AclError, formatDurationMs, formatInstant, shorten } from '@latchkey/contract'
import { removeFailed } from './agent/agent.ts'
import { type Content, type Context, done, type Handler, json } from './handler.ts'
import { nodeIdOf, RAFT_PROTOCOL } from './operations/operations.ts'
import type { ClusterMember } from './options.ts'
import { changeSystem } from './store/changes.ts'
import { decideAndCommitFor } from './store/commit.ts'

export const raftConfigurationHandler: Handler<'operator.raftConfiguration'> = async (call) => {
  const { servers, idOf, leader } = await serversOf(call)
  // Answers have the order of keys of existing services.
  const Servers = servers.map((server) => ({
    ...{ ID: idOf(server), Node: server.node, Address: server.address, Leader: server.address === leader },
    ...{ ProtocolVersion: RAFT_PROTOCOL, Voter: true },
  }))
  return json({ Servers, Index: 0 })
}

/**
 * A living server would join again at once, so it stays.
 * @throws AclError `query_invalid`, `not_found`, `field_invalid`.
 */
export const removePeerHandler: Handler<'operator.removePeer'> = async (call) => {
  const { id, address } = call.query
  if (id !== undefined && address !== undefined)
    throw new AclError('query_invalid', 'Must specify only one of ?id or ?address', { field: 'address' })
  const field = id === undefined ? 'address' : 'id'
  const wanted = id ?? address
  if (wanted === undefined) {
    const message = "Must specify either ?id with the server's ID or ?address with IP:port of peer to remove"
    throw new AclError('query_invalid', message, { field })
  }
  const { servers, idOf } = await serversOf(call)
  const found = servers.find((server) => (id === undefined ? server.address : idOf(server)) === wanted)
  const name = `${field} ${JSON.stringify(shorten(wanted))}`
  if (!found) throw new AclError('not_found', `${name} was not found in the Raft configuration`, { field })
  if ((await removeFailed(call.service, found.node)) === 'alive') {
    const message = `The server with the ${name} is alive: stop it first`
    throw new AclError('field_invalid', message, { field })
  }
  return done()
}

export const autopilotHealthHandler: Handler<'operator.autopilotHealth'> = async (call) => {
  const { servers, idOf, leader } = await serversOf(call)
  const isAlive = ({ status }: ClusterMember) => status === 'alive'
  const living = servers.filter(isAlive)
  const Servers = servers.map((server) => {
    const { node, address, version, status } = server
    const { heartbeatAt = call.now, startedAt = call.now, seenIndex = 0 } = server
    return {
      ...{ ID: idOf(server), Name: node, Address: address, SerfStatus: status, Version: version },
      Leader: address === leader,
      LastContact: formatDurationMs(Math.max(0, Math.trunc(call.now - heartbeatAt))),
      LastTerm: 0,
      LastIndex: seenIndex,
      Healthy: isAlive(server),
      Voter: true,
      StableSince: formatInstant(isAlive(server) ? startedAt : heartbeatAt),
    }
  })
  const Healthy = living.length === servers.length
  const answer = json<Content<'operator.autopilotHealth'>>({
    Healthy,
    FailureTolerance: Math.max(0, living.length - 1),
    Servers,
  })
  return Healthy ? answer : { ...answer, status: 429 }
}

/** Servers that have not left. */
async function serversOf({ service }: Context) {
  const { cluster, store } = service
  const [members, leader] = await Promise.all([cluster.members(), cluster.leader()])
  const catalog = store.catalog()
  return {
    servers: members.filter(({ status }) => status !== 'left'),
    idOf: (member: ClusterMember) => nodeIdOf(member, catalog),
    leader,
  }
}

/** What existing services begin with. */
const AUTOPILOT_DEFAULT: AutopilotRecord = {
  CleanupDeadServers: true,
  LastContactThreshold: '200ms',
  MaxTrailingLogs: 250,
  MinQuorum: 0,
  ServerStabilizationTime: '10s',
  RedundancyZoneTag: '',
  DisableUpgradeMigration: false,
  UpgradeVersionTag: '',
}

/** Whether servers that failed are forgotten after a while. */
export function cleansUpServers(directory: Directory): boolean {
  return (directory.system('autopilot')?.Value ?? AUTOPILOT_DEFAULT).CleanupDeadServers
}

export const readAutopilotHandler: Handler<'operator.readAutopilot'> = ({ directory }) => {
  const stored = directory.system('autopilot')
  const { CreateIndex = 0, ModifyIndex = 0 } = stored ?? {}
  return json({ ...AUTOPILOT_DEFAULT, ...stored?.Value, CreateIndex, ModifyIndex })
}

/** `true`, or `false` if `cas` does not hold. */
export const writeAutopilotHandler: Handler<'operator.writeAutopilot'> = (call) => {
  const { body, query, service } = call
  const { store } = service
  const value: AutopilotRecord = {
    CleanupDeadServers: body.CleanupDeadServers ?? false,
    LastContactThreshold: formatDurationMs(body.LastContactThreshold ?? 0),
    MaxTrailingLogs: body.MaxTrailingLogs ?? 0,
    MinQuorum: body.MinQuorum ?? 0,
    ServerStabilizationTime: formatDurationMs(body.ServerStabilizationTime ?? 0),
    RedundancyZoneTag: body.RedundancyZoneTag ?? '',
    DisableUpgradeMigration: body.DisableUpgradeMigration ?? false,
    UpgradeVersionTag: body.UpgradeVersionTag ?? '',
  }
  return decideAndCommitFor(call, () => {
    const index = store.directory().system('autopilot')?.ModifyIndex ?? 0
    const holds = query.cas === undefined || query.cas === BigInt(index)
    return { changes: holds ? changeSystem(store, 'autopilot', value) : [], answer: () => json(holds) }
  })
}
