import type { Answer, Call } from '../handler.ts'
import { answerSessions } from './show.ts'

export function listSessionsHandler(call: Call<'sessions.list'>): Answer<'sessions.list'> {
  return answerSessions(call, call.service.store.catalog().sessions.values())
}
