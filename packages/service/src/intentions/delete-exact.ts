import { deleteExact } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireIntentionWrite } from './rights.ts'
import { deleteEntry, endsAsked, putEntry, requireWritableNow } from './stored-intentions.ts'

/** `true`, even if the record does not exist. */
export function deleteExactIntentionHandler(
  call: Call<'intentions.deleteExact'>,
): Promise<Answer<'intentions.deleteExact'>> {
  const { query, service } = call
  const { store, edition } = service
  const ends = endsAsked(call, query)
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, ends)
    requireWritableNow(call, 'entry')
    const directory = store.directory()
    const intentions = directory.intentions()
    if (!intentions.findExact(ends)) return { changes: [], answer: () => json(true) }
    const left = deleteExact(ends, { intentions, edition })
    const changes = left ? putEntry(directory, left) : deleteEntry(directory, ends)
    return { changes, answer: () => json(true) }
  })
}
