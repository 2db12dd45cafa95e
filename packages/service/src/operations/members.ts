import { nodeKey } from '@latchkey/acl'
import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import type { ClusterMember } from '../options.ts'
import { showMember } from './show-member.ts'

/**
 * Processes whose nodes the caller may read, without those that left and that another process of their node has replaced.
 * Decisions: agent.
 */
export async function membersHandler(
  call: Call<'operations.members'>,
): Promise<Answer<'operations.members'>> {
  const members = await call.service.cluster.members()
  const rights = new RowRights(call)
  const living = new Set(members.filter(({ status }) => status === 'alive').map(({ node }) => nodeKey(node)))
  const isReplaced = ({ node, status }: ClusterMember) => status === 'left' && living.has(nodeKey(node))
  const visible = members.filter((member) => rights.node(member.node) && !isReplaced(member))
  return rights.mark(json(visible.map(showMember)))
}
