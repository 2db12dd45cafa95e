import { type Answer, type Call, json } from '../handler.ts'
import { requireIntentionWrite } from '../intentions/rights.ts'
import { deleteEntry, requireWritableNow } from '../intentions/stored-intentions.ts'
import { decideAndCommitFor } from '../store/commit.ts'

/** The same where there is none. */
export function deleteConfigEntryHandler(
  call: Call<'configEntries.delete'>,
): Promise<Answer<'configEntries.delete'>> {
  const destination = { DestinationNS: call.namespace, DestinationName: call.params.Name }
  requireIntentionWrite(call, destination)
  return decideAndCommitFor(call, () => {
    requireWritableNow(call, 'entry')
    return { changes: deleteEntry(call.service.store.directory(), destination), answer: () => json({}) }
  })
}
