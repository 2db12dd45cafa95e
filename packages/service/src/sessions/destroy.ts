import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireSessionWrite } from './rights.ts'
import { sessionInPath } from './session-id.ts'

/** `true`, even if the record does not exist. */
export function destroySessionHandler(call: Call<'sessions.destroy'>): Promise<Answer<'sessions.destroy'>> {
  return decideAndCommitFor(call, () => {
    const record = sessionInPath(call, call.params)
    if (!record) return { changes: [], answer: () => json(true) }
    requireSessionWrite(call, record.Node)
    return {
      changes: [{ table: 'sessions', op: 'delete', record, expect: record.ModifyIndex }],
      answer: () => json(true),
    }
  })
}
