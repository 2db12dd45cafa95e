import { type Answer, type Call, json } from '../handler.ts'

export function hostHandler(call: Call<'agentProcess.host'>): Answer<'agentProcess.host'> {
  return json(call.service.cluster.host())
}
