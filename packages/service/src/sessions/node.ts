import type { Answer, Call } from '../handler.ts'
import { answerSessions } from './show.ts'

export function nodeSessionsHandler(call: Call<'sessions.node'>): Answer<'sessions.node'> {
  return answerSessions(call, call.service.store.catalog().sessions.on(call.params.Node))
}
