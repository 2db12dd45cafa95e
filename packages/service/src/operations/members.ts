import { type Answer, type Call, json } from '../handler.ts'
import { showMember } from './show-member.ts'

export async function membersHandler(
  call: Call<'operations.members'>,
): Promise<Answer<'operations.members'>> {
  const members = await call.service.cluster.members()
  return json(members.map(showMember))
}
