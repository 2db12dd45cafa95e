/** What the processes and the product say of themselves. */

import { nodeKey } from '@latchkey/catalog'
import { AclError, changesBetween, PRODUCT_VERSION, parseServiceVersion } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, type Content, json } from '../handler.ts'
import { aclModeOf, type ClusterMember } from '../options.ts'

/** From 1.0 on, Config is reduced, and DebugConfig has the full structure. Spec 9.3. */
export function agentSelfHandler(call: Call<'operations.self'>): Answer<'operations.self'> {
  const { service, directory } = call
  const self = service.cluster.self()
  const debugConfig = service.cluster.debugConfig()
  const reduced = {
    Datacenter: service.datacenter,
    NodeName: service.nodeName,
    // The ID in the catalog, where it survives restarts; a node that a client registered may have none.
    NodeID: service.store.catalog().node(service.nodeName)?.ID || self.id,
    Revision: '',
    Server: true,
    Version: service.profile.version.text,
  }
  const isReduced = service.profile.has('agent.reducedSelf')
  // Before 1.4.0 there is only one ACL system, so there is no mode to report.
  const knowsModes = service.profile.has('upgrade.legacyMode')
  const aclMode = service.aclEnabled ? aclModeOf(directory) : 'disabled'
  return json({
    Config: isReduced ? reduced : { ...debugConfig, ...reduced },
    ...(isReduced ? { DebugConfig: debugConfig } : {}),
    Stats: {
      latchkey: { ...(knowsModes ? { acl: aclMode } : {}), server: 'true', version: PRODUCT_VERSION },
    },
    Member: showMember(self),
    Meta: {},
  })
}

type Shown = Content<'operations.members'>[number]

/**
 * Processes on nodes that the caller may read, except processes that left and were replaced by another on the same node.
 * Decisions: agent.
 */
export async function membersHandler(
  call: Call<'operations.members'>,
): Promise<Answer<'operations.members'>> {
  const { wan, segment } = call.query
  if (wan !== undefined && segment !== undefined) {
    throw new AclError('query_invalid', 'Cannot provide a segment with wan=true', { field: 'segment' })
  }
  const members = await call.service.cluster.members()
  const rights = new RowRights(call)
  const living = new Set(members.filter(({ status }) => status === 'alive').map(({ node }) => nodeKey(node)))
  const isReplaced = ({ node, status }: ClusterMember) => status === 'left' && living.has(nodeKey(node))
  const visible = members.filter((member) => rights.node(member.node) && !isReplaced(member))
  const shown = visible.map(showMember)
  return rights.mark(json(wan === undefined ? shown : shown.map(inWideArea)))
}

/** A member in the list of all datacenters, where the name includes the datacenter. */
function inWideArea(member: Shown): Shown {
  return { ...member, Name: `${member.Name}.${member.Datacenter}` }
}

export async function leaderHandler(call: Call<'operations.leader'>): Promise<Answer<'operations.leader'>> {
  return json(await call.service.cluster.leader())
}

export async function peersHandler(call: Call<'operations.peers'>): Promise<Answer<'operations.peers'>> {
  const members = await call.service.cluster.members()
  return json(members.filter((member) => member.status === 'alive').map((member) => member.address))
}

export function datacentersHandler(call: Call<'operations.datacenters'>): Answer<'operations.datacenters'> {
  const { datacenter, datacenters } = call.service
  return json([datacenter, ...(datacenters?.names ?? [])])
}

export async function metricsHandler(
  call: Call<'operations.metrics'>,
): Promise<Answer<'operations.metrics'>> {
  const { samples, prometheus } = await call.service.cluster.metrics()
  if (call.query.format !== 'prometheus') return json(samples)
  const bytes = new TextEncoder().encode(prometheus)
  return { body: { kind: 'bytes', bytes, contentType: 'text/plain; version=0.0.4; charset=utf-8' } }
}

/** The changes between two versions, which the migrator reads. */
export function versionsHandler(call: Call<'operations.versions'>): Answer<'operations.versions'> {
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

export async function openapiHandler({
  service,
}: Call<'operations.openapi'>): Promise<Answer<'operations.openapi'>> {
  return { body: { kind: 'json-document', document: await service.openapi() } }
}

const MEMBER_STATUS = { alive: 1, left: 3, failed: 4 } as const

/** A server process as agents show it. */
function showMember(member: ClusterMember): Content<'operations.members'>[number] {
  const colon = member.address.lastIndexOf(':')
  return {
    ID: member.id,
    Name: member.node,
    Addr: member.address.slice(0, colon),
    Port: Number(member.address.slice(colon + 1)),
    Tags: {
      role: 'server',
      ...(member.mode === 'unknown' ? {} : { acls: ACL_TAG[member.mode] }),
      build: member.version,
    },
    Status: MEMBER_STATUS[member.status],
    Datacenter: member.datacenter,
    Version: member.version,
  }
}

/** The reference's gossip tag `acls`, which servers before 1.4.0 lack. */
const ACL_TAG = { disabled: '0', enabled: '1', legacy: '2' } as const
