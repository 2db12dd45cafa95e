import type { Answer, Call } from '../handler.ts'
import { requireCompatibleLeader, sessionInPath } from './session-id.ts'
import { answerSessions } from './show.ts'

/** A list of the session, or an empty list. */
export async function sessionInfoHandler(call: Call<'sessions.info'>): Promise<Answer<'sessions.info'>> {
  await requireCompatibleLeader(call)
  const session = sessionInPath(call, call.params)
  return answerSessions(call, session ? [session] : [])
}
