import { SERVICE_INTENTIONS, showEntry } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json, missing } from '../handler.ts'
import { mayRead, requireIntentionRead } from '../intentions/rights.ts'

export function readConfigEntryHandler(call: Call<'configEntries.read'>): Answer<'configEntries.read'> {
  const { directory, namespace, params, service } = call
  const { Name: name } = params
  requireIntentionRead(call, { namespace, name })
  const watch = { topic: 'intentions', filtered: true } as const
  const entry = directory.intentions().entry({ DestinationNS: namespace, DestinationName: name })
  // It may be stored in another spelling, which the caller may not read.
  if (entry && mayRead(call, { namespace, name: entry.destination.DestinationName }))
    return json(showEntry(entry, service.edition === 'extended'), watch)
  const message = `Config entry not found for "${SERVICE_INTENTIONS}" / ${JSON.stringify(name)}`
  return missing(new AclError('not_found', message), watch)
}
