import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireIntentionWrite } from './rights.ts'
import { deleteIntention, requireWritableNow, seenIntention } from './stored-intentions.ts'
import { unknownIntention } from './update.ts'

export function deleteIntentionHandler(
  call: Call<'intentions.delete'>,
): Promise<Answer<'intentions.delete'>> {
  return decideAndCommitFor(call, () => {
    const directory = call.service.store.directory()
    const existing = seenIntention(call, directory, call.params.ID)
    if (existing) requireIntentionWrite(call, existing)
    requireWritableNow(call, 'id')
    if (!existing) throw unknownIntention('delete', call.params.ID)
    return { changes: deleteIntention(directory, existing), answer: () => json(true) }
  })
}
