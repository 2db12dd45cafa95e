import { nodeKey } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, type Content, json } from '../handler.ts'
import type { ClusterMember } from '../options.ts'
import { showMember } from './show-member.ts'

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
