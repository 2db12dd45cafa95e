import { done } from '../agent/done.ts'
import type { Answer, Call } from '../handler.ts'

/** The configuration comes from the environment, so nothing changes before a restart. */
export function reloadHandler(_call: Call<'agentProcess.reload'>): Answer<'agentProcess.reload'> {
  return done()
}
