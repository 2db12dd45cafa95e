import type {
  Directory,
  IntentionDestination,
  IntentionEnds,
  IntentionMigrationRecord,
  IntentionRecord,
} from '@latchkey/acl'
import { destinationKey, intentionKey, requireWritable } from '@latchkey/acl'
import { type EntryRecords, parseEnd, showIntention, showSource } from '@latchkey/catalog'
import { AclError, type Intention } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import { put, remove } from '../store/changes.ts'
import type { Change } from '../store/store.ts'
import { maySee } from './rights.ts'

/** The state of the migration to config entries; `undefined` before it. */
export function migrationOf(directory: Directory): IntentionMigrationRecord | undefined {
  return directory.system('intentions')?.Value
}

export function requireWritableNow({ service }: Context, by: 'id' | 'entry'): void {
  requireWritable(migrationOf(service.store.directory()), by)
}

/** An intention as this datacenter shows it; after the migration, as part of its config entry. */
export function intentionShown(directory: Directory): (intention: IntentionRecord) => Intention {
  if (migrationOf(directory)?.state !== 'done') return showIntention
  const intentions = directory.intentions()
  return (intention) => {
    const entry = intentions.entry(intention)
    return entry ? showSource(intention, entry) : showIntention(intention)
  }
}

export function intentionNotFound(): AclError {
  return new AclError('not_found', 'Intention not found')
}

/** Finds an intention by ID. One that the caller may not read is absent. */
export function seenIntention(call: Context, directory: Directory, id: string): IntentionRecord | undefined {
  const found = directory.intentions().find(id)
  return found && maySee(call, found) ? found : undefined
}

/**
 * The edition whose rules hold for the namespaces of sources and destinations: before 1.9.0, they may be any words in the
 * standard edition, too. Decisions: intentions.
 */
export function editionOfEnds({ edition, profile }: ServiceOptions): ServiceOptions['edition'] {
  return profile.has('intentions.configEntries') ? edition : 'extended'
}

export function endsAsked(
  { service }: Context,
  {
    source,
    destination,
  }: { readonly source?: string | undefined; readonly destination?: string | undefined },
): IntentionEnds {
  const edition = editionOfEnds(service)
  const from = parseEnd(source, 'source', edition)
  const to = parseEnd(destination, 'destination', edition)
  return {
    SourceNS: from.namespace,
    SourceName: from.name,
    DestinationNS: to.namespace,
    DestinationName: to.name,
  }
}

export function putIntention(directory: Directory, record: IntentionRecord): readonly Change[] {
  const existing = directory.intentions().findExact(record)
  return [put('intentions', record, existing), putDestination(directory, record)]
}

/** Puts an intention in place of another, which may have different ends. */
export function replaceIntention(
  directory: Directory,
  existing: IntentionRecord,
  record: IntentionRecord,
): readonly Change[] {
  if (intentionKey(record) === intentionKey(existing)) return putIntention(directory, record)
  if (destinationKey(record) !== destinationKey(existing))
    return [...deleteIntention(directory, existing), ...putIntention(directory, record)]
  return [remove('intentions', existing), ...putIntention(directory, record)]
}

/** Deletes an intention, and its destination with the last one. */
export function deleteIntention(directory: Directory, record: IntentionRecord): readonly Change[] {
  const entry = directory.intentions().entry(record)
  const isLast = (entry?.sources.length ?? 0) <= 1
  return [
    remove('intentions', record),
    isLast && entry ? remove('intentionDestinations', entry.destination) : putDestination(directory, record),
  ]
}

/** Every change to an intention also writes its destination, so that concurrent changes conflict. */
function putDestination(
  directory: Directory,
  { DestinationNS, DestinationName }: IntentionDestination,
): Change {
  const existing = directory.intentions().entry({ DestinationNS, DestinationName })?.destination
  const record = existing ?? { DestinationNS, DestinationName, Meta: {}, CreateIndex: 0, ModifyIndex: 0 }
  return put('intentionDestinations', record, record)
}

export function putEntry(directory: Directory, { destination, sources }: EntryRecords): readonly Change[] {
  const existing = directory.intentions().entry(destination)
  const left = new Set(sources.map(intentionKey))
  const before = new Map(existing?.sources.map((source) => [intentionKey(source), source]))
  return [
    ...(existing?.sources ?? [])
      .filter((source) => !left.has(intentionKey(source)))
      .map((record) => remove('intentions', record)),
    ...sources.map((record) => put('intentions', record, before.get(intentionKey(record)))),
    put('intentionDestinations', destination, existing?.destination),
  ]
}

/** Deletes all intentions to a destination. Empty if there are none. */
export function deleteEntry(directory: Directory, destination: IntentionDestination): readonly Change[] {
  const existing = directory.intentions().entry(destination)
  if (!existing) return []
  return [
    ...existing.sources.map((record) => remove('intentions', record)),
    remove('intentionDestinations', existing.destination),
  ]
}
