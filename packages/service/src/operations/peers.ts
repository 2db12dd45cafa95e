import { type Answer, type Call, json } from '../handler.ts'

export async function peersHandler(call: Call<'operations.peers'>): Promise<Answer<'operations.peers'>> {
  const members = await call.service.cluster.members()
  return json(members.filter((member) => member.status === 'alive').map((member) => member.address))
}
