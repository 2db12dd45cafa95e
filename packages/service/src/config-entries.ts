import { SERVICE_INTENTIONS, showEntry, writeEntry } from '@latchkey/catalog'
import { AclError } from '@latchkey/contract'
import { type Handler, json, missing } from './handler.ts'
import { mayRead, requireIntentionRead, requireIntentionWrite } from './intentions/rights.ts'
import { deleteEntry, putEntry, requireWritableNow } from './intentions/stored-intentions.ts'
import { isListed, namespaceOf } from './request/namespace.ts'
import { decideAndCommitFor } from './store/commit.ts'

/** `true`, or `false` if `cas` does not hold. */
export const writeConfigEntryHandler: Handler<'configEntries.write'> = (call) => {
  const { body, query, service } = call
  const { store, edition } = service
  const namespace = namespaceOf(call, body.Namespace)
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

/** Ordered by namespace and name. */
export const listConfigEntriesHandler: Handler<'configEntries.list'> = (call) => {
  const { directory, service } = call
  const entries = [...directory.intentions().allEntries()]
    .filter(({ destination: { DestinationNS } }) => isListed(call, DestinationNS))
    .filter(({ destination: { DestinationNS: namespace, DestinationName: name } }) =>
      mayRead(call, { namespace, name }),
    )
    .map((entry) => showEntry(entry, service.edition === 'extended'))
  return json(entries, { topic: 'intentions', filtered: true })
}

export const readConfigEntryHandler: Handler<'configEntries.read'> = (call) => {
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

/** Answers the same if there is no such entry; with `cas`, whether it was deleted. */
export const deleteConfigEntryHandler: Handler<'configEntries.delete'> = (call) => {
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
