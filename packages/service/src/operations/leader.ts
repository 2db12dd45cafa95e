import { type Answer, type Call, json } from '../handler.ts'

export async function leaderHandler(call: Call<'operations.leader'>): Promise<Answer<'operations.leader'>> {
  return json(await call.service.cluster.leader())
}
