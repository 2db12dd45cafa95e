/** What the processes and the product say of themselves. */
import { migrationProgress, NO_BATCHES, type ReplicationTokenRecord } from '@latchkey/acl'
import { type Catalog, nodeKey, SEGMENT_META, taggedAddresses } from '@latchkey/catalog'
import {
  AclError,
  changesBetween,
  formatInstant,
  PRODUCT_VERSION,
  parseServiceVersion,
  REDACTED_SECRET_ID,
  ZERO_TIME,
} from '@latchkey/contract'
import { ownChecks, ownServices } from '../agent/own-node.ts'
import { requireAll } from '../caller/authority.ts'
import { RowRights } from '../catalog/rights.ts'
import { coordOf, ORIGIN } from '../coordinates.ts'
import { type Call, type Content, type Context, type Handler, json } from '../handler.ts'
import {
  aclModeOf,
  type ClusterMember,
  isSecondary,
  type ReplicationState,
  type ServiceOptions,
} from '../options.ts'
import { changeSystem } from '../store/changes.ts'
import { decideAndCommit } from '../store/commit.ts'
import { readerLag } from '../store/replicated.ts'
import type { Store } from '../store/store.ts'

/** From 1.0 on, Config is reduced, and DebugConfig has the full structure. Spec 9.3. */
export const agentSelfHandler: Handler<'operations.self'> = async (call) => {
  const { service, directory } = call
  const { cluster, datacenter, nodeName } = service
  const self = cluster.self()
  const catalog = service.store.catalog()
  const reduced = {
    Datacenter: datacenter,
    NodeName: nodeName,
    NodeID: nodeIdOf(self, catalog),
    Revision: '',
    Server: true,
    Version: service.profile.version.text,
  }
  const isReduced = service.profile.has('agent.reducedSelf')
  // Before 1.4.0 there is only one ACL system, so there is no mode to report.
  const knowsModes = service.profile.has('upgrade.legacyMode')
  const aclMode = knowsModes ? { acl: service.aclEnabled ? aclModeOf(directory) : 'disabled' } : {}
  const debugConfig = { ...cluster.debugConfig(), ...debugConfigOf(self, service) }
  return json({
    Config: isReduced ? reduced : { ...debugConfig, ...reduced },
    ...(isReduced ? { DebugConfig: { ...debugConfig, NodeID: reduced.NodeID } } : {}),
    Coord: coordOf(catalog.coordinate(nodeName, '')?.Coord ?? ORIGIN),
    Member: showMember(self, catalog),
    Stats: {
      ...statsOf(call, { self, members: await cluster.members(), leader: await cluster.leader(), aclMode }),
      latchkey: { ...aclMode, server: 'true', version: PRODUCT_VERSION },
    },
    Meta: SEGMENT_META,
  })
}

/** The ID in the catalog, where it survives restarts; a node that a client registered may have none. */
export function nodeIdOf({ node, id }: ClusterMember, catalog: Catalog): string {
  return catalog.node(node)?.ID || id
}

/** Settings under the names that existing clients read. */
function debugConfigOf({ address }: ClusterMember, service: ServiceOptions) {
  const { datacenter, nodeName, primaryDatacenter = datacenter, aclEnabled, defaultPolicy, profile } = service
  const url = `tcp://${address}`
  return {
    ACLDatacenter: primaryDatacenter,
    ACLDefaultPolicy: defaultPolicy,
    ACLsEnabled: aclEnabled,
    Datacenter: datacenter,
    HTTPAddrs: [url],
    NodeName: nodeName,
    PrimaryDatacenter: primaryDatacenter,
    SegmentName: '',
    SerfAdvertiseAddrLAN: url,
    SerfAdvertiseAddrWAN: url,
    ServerMode: true,
    TaggedAddresses: taggedAddresses(hostOf(address)),
    Version: profile.version.text,
  }
}

interface Facts {
  readonly members: readonly ClusterMember[]
  readonly self: ClusterMember
  readonly leader: string
  readonly aclMode: { readonly acl?: string }
}

function statsOf(call: Context, { self, members, leader, aclMode }: Facts) {
  const { service } = call
  const catalog = service.store.catalog()
  const checks = ownChecks(call, catalog)
  const host = service.cluster.host()
  const index = `${service.store.commitIndex()}`
  const count = (wanted: ClusterMember['status']) => members.filter(({ status }) => status === wanted).length
  const known = { failed: `${count('failed')}`, left: `${count('left')}`, members: `${members.length}` }
  return {
    agent: {
      check_monitors: '0',
      check_ttls: `${checks.filter(({ Type }) => Type === 'ttl').length}`,
      checks: `${checks.length}`,
      services: `${ownServices(call, catalog).length}`,
    },
    build: { prerelease: '', revision: '', version: service.profile.version.text },
    consul: {
      ...aclMode,
      bootstrap: 'false',
      known_datacenters: `${1 + (service.datacenters?.names.length ?? 0)}`,
      leader: `${leader === self.address}`,
      leader_addr: leader,
      server: 'true',
    },
    raft: {
      applied_index: index,
      commit_index: index,
      last_log_index: index,
      num_peers: `${Math.max(0, count('alive') - 1)}`,
      protocol_version: RAFT_PROTOCOL,
      state: leader === self.address ? 'Leader' : 'Follower',
    },
    serf_lan: known,
    serf_wan: known,
    runtime: { cpu_count: `${host.CPU.length}`, os: `${host.Host.platform ?? ''}` },
  }
}

/** What existing clients send to see the members of all segments. */
const EVERY_SEGMENT = '_all'

type Shown = Content<'operations.members'>[number]

/**
 * Processes on nodes that the caller may read, except processes that left and were replaced by another on the same node.
 * Decisions: agent.
 */
export const membersHandler: Handler<'operations.members'> = async (call) => {
  const { wan, segment } = call.query
  if (segment !== undefined && segment !== EVERY_SEGMENT) {
    const message =
      wan === undefined ? 'There are no network segments' : 'Cannot provide a segment with wan=true'
    throw new AclError('query_invalid', message, { field: wan === undefined ? 'segment' : 'wan' })
  }
  const members = await call.service.cluster.members()
  const rights = new RowRights(call)
  const living = new Set(members.filter(({ status }) => status === 'alive').map(({ node }) => nodeKey(node)))
  const isReplaced = ({ node, status }: ClusterMember) => status === 'left' && living.has(nodeKey(node))
  const visible = members.filter((member) => rights.node(member.node) && !isReplaced(member))
  const catalog = call.service.store.catalog()
  const shown = visible.map((member) => showMember(member, catalog))
  return rights.mark(json(wan === undefined ? shown : shown.map(inWideArea)))
}

function inWideArea(member: Shown): Shown {
  return { ...member, Name: `${member.Name}.${member.Datacenter}` }
}

export const leaderHandler: Handler<'operations.leader'> = async (call) =>
  json(await call.service.cluster.leader())

export const peersHandler: Handler<'operations.peers'> = async (call) => {
  const members = await call.service.cluster.members()
  return json(members.filter((member) => member.status === 'alive').map((member) => member.address))
}

export const datacentersHandler: Handler<'operations.datacenters'> = (call) => {
  const { datacenter, datacenters } = call.service
  return json([datacenter, ...(datacenters?.names ?? [])])
}

export const metricsHandler: Handler<'operations.metrics'> = async (call) => {
  const { samples, prometheus } = await call.service.cluster.metrics()
  if (call.query.format !== 'prometheus') return json(samples)
  const bytes = new TextEncoder().encode(prometheus)
  return { body: { kind: 'bytes', bytes, contentType: 'text/plain; version=0.0.4; charset=utf-8' } }
}

/** The changes between two versions, which the migrator reads. */
export const versionsHandler: Handler<'operations.versions'> = (call) => {
  const version = (option: 'from' | 'to') => {
    const text = call.query[option]
    if (text === undefined) {
      throw new AclError('query_invalid', `${option} is missing: a service version such as 1.3.0`, {
        field: option,
      })
    }
    return parseServiceVersion(text, option)
  }
  return json(
    changesBetween(version('from'), version('to')).map((change) => ({
      Gate: change.gate,
      Change: change.change,
      At: change.at,
      Kind: change.kind,
      SpecRow: change.specRow,
      Sentence: change.sentence,
      ClientSees: change.clientSees,
      BreaksClients: change.breaksClients,
      DecidedBy: change.decidedBy,
    })),
  )
}

export const openapiHandler: Handler<'operations.openapi'> = async ({ service }) => ({
  body: { kind: 'json-document', document: await service.openapi() },
})

const MEMBER_STATUS = { alive: 1, left: 3, failed: 4 } as const

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(':'))
}

/** Versions of protocols that existing clients expect of a server. */
export const RAFT_PROTOCOL = '3'
const PROTOCOLS = {
  ...({ ProtocolMin: 1, ProtocolMax: 5, ProtocolCur: 2 } as const),
  ...({ DelegateMin: 2, DelegateMax: 5, DelegateCur: 4 } as const),
}

/** The tags have the names and forms by which existing clients know servers. */
function showMember(member: ClusterMember, catalog: Catalog): Shown {
  const { address, datacenter, mode, node, status, version } = member
  const port = address.slice(address.lastIndexOf(':') + 1)
  return {
    ID: member.id,
    Name: node,
    Addr: hostOf(address),
    Port: Number(port),
    Tags: {
      ...(mode === 'unknown' ? {} : { acls: ACL_TAG[mode] }),
      build: `${version}:`,
      dc: datacenter,
      id: nodeIdOf(member, catalog),
      port,
      role: 'consul',
      segment: '',
      ...{ raft_vsn: RAFT_PROTOCOL, vsn: '2', vsn_max: '3', vsn_min: '2', wan_join_port: port },
    },
    Status: MEMBER_STATUS[status],
    ...PROTOCOLS,
    Datacenter: datacenter,
    Version: version,
  }
}

/** The reference's gossip tag `acls`, which servers before 1.4.0 lack. */
const ACL_TAG = { disabled: '0', enabled: '1', legacy: '2' } as const

export const migrationHandler: Handler<'operations.migration'> = async (call) => {
  const { service } = call
  const { directory, record, remaining } = await migrationFacts(service.store)
  const lastError = service.cluster.migrationError?.()
  const mode = aclModeOf(directory)
  const progress = migrationProgress({
    record,
    remaining,
    aclMode: mode === 'legacy' ? { mode } : { mode, since: 0 },
    isPrimary: !isSecondary(service),
    now: call.now,
  })
  return json({
    State: progress.state,
    Done: progress.done,
    Total: progress.total,
    Batches: progress.batches,
    TokensPerSecond: progress.rate,
    EstimatedSeconds: progress.estimateSeconds,
    ...(record.run ? { StartedAt: formatInstant(record.run.startedAt) } : {}),
    ...(record.lastBatchAt === undefined ? {} : { LastBatchAt: formatInstant(record.lastBatchAt) }),
    ...(lastError === undefined ? {} : { LastError: lastError }),
    ...(mode === 'legacy' ? { WaitsFor: [...service.cluster.legacyModeWaitsFor()] } : {}),
  })
}

/** Migrated and remaining tokens at one moment, so that no batch is counted twice or missed. */
async function migrationFacts(store: Store) {
  for (;;) {
    const before = store.directory().system('migration')
    const remaining = await store.countTokens({ withoutAccessor: true })
    const directory = store.directory()
    const after = directory.system('migration')
    if (after?.ModifyIndex !== before?.ModifyIndex) continue
    return { directory, remaining, record: after?.Value ?? NO_BATCHES }
  }
}

/** Zero values in the primary datacenter. */
export const replicationHandler: Handler<'operations.replication'> = async (call) => {
  const Readers = await readersOf(call)
  const state = await call.service.cluster.replication()
  return json({
    Enabled: state?.enabled ?? false,
    Running: state?.running ?? false,
    SourceDatacenter: state?.sourceDatacenter ?? '',
    ReplicationType: state?.type ?? '',
    ReplicatedIndex: state?.index ?? 0,
    ReplicatedRoleIndex: state?.index ?? 0,
    ReplicatedTokenIndex: state?.hasTokens ? state.index : 0,
    LastSuccess: state?.lastSuccess ?? ZERO_TIME,
    LastError: state?.lastError ?? ZERO_TIME,
    ...(state && call.service.profile.has('replication.detail') ? detailOf(state) : {}),
    ...(Readers.length > 0 ? { Readers } : {}),
    Mode: aclModeOf(call.directory),
  })
}

async function readersOf({ service, now }: Call<'operations.replication'>) {
  const { store } = service
  const readers = await store.changeReaders.list(now)
  return readers.map(({ name, index, contactAt }) => ({
    Name: name,
    Index: index,
    Lag: readerLag(index, store),
    LastContact: formatInstant(contactAt),
  }))
}

function detailOf(state: ReplicationState) {
  const { lastErrorMessage, cluster, primaryIndex, lagIndex, lagSeconds, skipped } = state
  return {
    ...(lastErrorMessage === '' ? {} : { LastErrorMessage: lastErrorMessage }),
    Cluster: cluster,
    PrimaryIndex: primaryIndex,
    LagIndex: lagIndex,
    ...(lagSeconds === undefined ? {} : { LagSeconds: lagSeconds }),
    State: state.state,
    Skipped: [...skipped],
  }
}

/** What a header can contain without quotes. */
const TOKEN_FORM = /^[\x21-\x7e]*$/

/**
 * Sets the secret with which the processes of this datacenter replicate. An empty one restores the one in their configuration.
 *
 * @throws AclError `field_invalid`; `privilege_missing`: in the extended edition, replication affects every namespace.
 */
export const setReplicationTokenHandler: Handler<'operations.setReplicationToken'> = (call) => {
  requireAll(call)
  const Value: ReplicationTokenRecord = { Token: call.body.Token }
  if (!TOKEN_FORM.test(Value.Token) || Value.Token === REDACTED_SECRET_ID)
    throw new AclError('field_invalid', 'Token is not a secret', { field: 'Token' })
  const { store } = call.service
  return decideAndCommit(store, () => {
    const value = Value.Token === '' ? undefined : Value
    return { changes: changeSystem(store, 'replication-token', value), answer: () => json(true) }
  })
}
