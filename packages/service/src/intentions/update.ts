import { endsOf, updateIntention } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { requireIntentionWrite } from './rights.ts'
import { replaceIntention, requireWritableNow, seenIntention } from './stored-intentions.ts'

/** Needs the right to the old and to the new destination. */
export function updateIntentionHandler(
  call: Call<'intentions.update'>,
): Promise<Answer<'intentions.update'>> {
  const { body, params, service } = call
  const { store, edition, profile } = service
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, endsOf(body, edition))
    const directory = store.directory()
    const intentions = directory.intentions()
    const existing = seenIntention(call, directory, params.ID)
    if (existing) requireIntentionWrite(call, existing)
    requireWritableNow(call, 'id')
    if (!existing) throw unknownIntention('modify', params.ID)
    const keepsDestination = profile.has('intentions.configEntries')
    const context = { intentions, edition, now: call.now, keepsDestination }
    const record = updateIntention(existing, body, context)
    return { changes: replaceIntention(directory, existing, record), answer: () => json({ ID: params.ID }) }
  })
}

export function unknownIntention(what: 'modify' | 'delete', id: string): AclError {
  return new AclError('not_found', `Cannot ${what} non-existent intention: '${id}'`)
}
