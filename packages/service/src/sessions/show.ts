import { type SessionRecord, showSession } from '@latchkey/acl'
import type { Session } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, tellLack } from '../handler.ts'
import { visibleSessions } from './rights.ts'

/** The answer of a read: the given sessions that the caller may see. */
export function answerSessions(call: Context, sessions: readonly SessionRecord[]): JsonAnswer<Session[]> {
  const { profile } = call.service
  const visible = visibleSessions(call, sessions)
  const shown = visible.map((record) => showSession(record, profile))
  const watch = { topic: 'sessions', filtered: true } as const
  return tellLack(json(shown, watch), visible.length < sessions.length)
}
