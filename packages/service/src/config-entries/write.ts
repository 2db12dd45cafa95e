import { checkKind, writeEntry } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { requireIntentionWrite } from '../intentions/rights.ts'
import { putEntry, requireWritableNow } from '../intentions/stored-intentions.ts'
import { namespaceOf } from '../request/namespace.ts'
import { decideAndCommitFor } from '../store/commit.ts'

/** `true`, or `false` if `cas` does not hold. */
export function writeConfigEntryHandler(
  call: Call<'configEntries.write'>,
): Promise<Answer<'configEntries.write'>> {
  const { body, query, service } = call
  const { store, edition } = service
  const namespace = namespaceOf(call, body.Namespace)
  checkKind(body.Kind)
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, { DestinationNS: namespace, DestinationName: body.Name })
    requireWritableNow(call, 'entry')
    const directory = store.directory()
    const entry = writeEntry(body, { namespace, edition })
    const index = directory.intentions().entry(entry.destination)?.destination.ModifyIndex ?? 0
    if (query.cas !== undefined && query.cas !== BigInt(index))
      return { changes: [], answer: () => json(false) }
    return { changes: putEntry(directory, entry), answer: () => json(true) }
  })
}
