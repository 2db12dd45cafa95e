import { RowRights } from '../catalog/rights.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { showMember } from './show-member.ts'

/** Processes whose nodes the caller may read. Decisions: agent. */
export async function membersHandler(
  call: Call<'operations.members'>,
): Promise<Answer<'operations.members'>> {
  const members = await call.service.cluster.members()
  const rights = new RowRights(call)
  const visible = members.filter(({ node }) => rights.node(node))
  return rights.mark(json(visible.map(showMember)))
}
