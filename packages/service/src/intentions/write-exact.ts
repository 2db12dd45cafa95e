import { writeExact } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireIntentionWrite } from './rights.ts'
import { endsAsked, putEntry, requireWritableNow } from './stored-intentions.ts'

/** Edits the config entry of the destination, so all of its sources lose their IDs and times. Spec 9.5.3. */
export function writeExactIntentionHandler(
  call: Call<'intentions.writeExact'>,
): Promise<Answer<'intentions.writeExact'>> {
  const { body, query, service } = call
  const { store, edition } = service
  const ends = endsAsked(call, query)
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, ends)
    requireWritableNow(call, 'entry')
    const directory = store.directory()
    const entry = writeExact(ends, body, { intentions: directory.intentions(), edition })
    return { changes: putEntry(directory, entry), answer: () => json(true) }
  })
}
