import { createIntention, endsOf } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireIntentionWrite } from './rights.ts'
import { putIntention, requireWritableNow } from './stored-intentions.ts'

export function createIntentionHandler(
  call: Call<'intentions.create'>,
): Promise<Answer<'intentions.create'>> {
  const { body, service } = call
  const { store, edition, random } = service
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, endsOf(body, edition))
    requireWritableNow(call, 'id')
    const directory = store.directory()
    const intentions = directory.intentions()
    const record = createIntention(body, { intentions, edition, now: call.now, random })
    const { LegacyID: ID = '' } = record
    return { changes: putIntention(directory, record), answer: () => json({ ID }) }
  })
}
