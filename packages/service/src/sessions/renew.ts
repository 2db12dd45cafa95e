import { showSession } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { requireSessionWrite } from './rights.ts'
import { noSuchSession, requireCompatibleLeader, sessionInPath } from './session-id.ts'

/** Restarts the TTL of a session. No index changes. */
export async function renewSessionHandler(call: Call<'sessions.renew'>): Promise<Answer<'sessions.renew'>> {
  const { params, service } = call
  await requireCompatibleLeader(call)
  const session = sessionInPath(call, params)
  if (!session) throw noSuchSession(params.ID)
  requireSessionWrite(call, session.Node)
  if (!(await service.store.sessionTimes.renew(session.ID))) throw noSuchSession(params.ID)
  return json([showSession(session, service.profile)])
}
