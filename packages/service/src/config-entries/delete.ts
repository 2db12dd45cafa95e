import { type Answer, type Call, json } from '../handler.ts'
import { requireIntentionWrite } from '../intentions/rights.ts'
import { deleteEntry, requireWritableNow } from '../intentions/stored-intentions.ts'
import { decideAndCommitFor } from '../store/commit.ts'

/** Answers the same if there is no such entry; with `cas`, whether it was deleted. */
export function deleteConfigEntryHandler(
  call: Call<'configEntries.delete'>,
): Promise<Answer<'configEntries.delete'>> {
  const { cas } = call.query
  const destination = { DestinationNS: call.namespace, DestinationName: call.params.Name }
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, destination)
    requireWritableNow(call, 'entry')
    const directory = call.service.store.directory()
    if (cas === undefined) return { changes: deleteEntry(directory, destination), answer: () => json({}) }
    const index = directory.intentions().entry(destination)?.destination.ModifyIndex
    const isSame = index !== undefined && cas === BigInt(index)
    return { changes: isSame ? deleteEntry(directory, destination) : [], answer: () => json(isSame) }
  })
}
