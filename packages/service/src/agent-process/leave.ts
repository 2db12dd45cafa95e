import { done } from '../agent/done.ts'
import type { Answer, Call } from '../handler.ts'

export function leaveHandler(call: Call<'agentProcess.leave'>): Answer<'agentProcess.leave'> {
  call.service.cluster.leave()
  return done()
}
