import { type SessionRecord, showSession } from '@latchkey/acl'
import type { Session } from '@latchkey/contract'
import { type Context, type JsonAnswer, json } from '../handler.ts'
import { visibleSessions } from './rights.ts'

/** The answer of a read: those of the sessions that the caller may see. */
export function answerSessions(call: Context, sessions: readonly SessionRecord[]): JsonAnswer<Session[]> {
  const { profile } = call.service
  const shown = visibleSessions(call, sessions).map((record) => showSession(record, profile))
  return json(shown, { topic: 'sessions', filtered: true })
}
