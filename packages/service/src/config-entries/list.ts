import { showEntry } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { mayRead } from '../intentions/rights.ts'
import { isListed } from '../request/namespace.ts'

/** Ordered by namespace and name. */
export function listConfigEntriesHandler(call: Call<'configEntries.list'>): Answer<'configEntries.list'> {
  const { directory, service } = call
  const entries = [...directory.intentions().allEntries()]
    .filter(({ destination: { DestinationNS } }) => isListed(call, DestinationNS))
    .filter(({ destination: { DestinationNS: namespace, DestinationName: name } }) =>
      mayRead(call, { namespace, name }),
    )
    .map((entry) => showEntry(entry, service.edition === 'extended'))
  return json(entries, { topic: 'intentions', filtered: true })
}
