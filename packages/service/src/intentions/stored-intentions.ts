/** Finds, renders and changes stored intentions. */
import {
  type Directory,
  destinationKey,
  type IntentionDestination,
  type IntentionEnds,
  type IntentionMigrationRecord,
  type IntentionRecord,
  intentionKey,
  requireWritable,
} from '@latchkey/acl'
import { type EntryRecords, parseEnd, showIntention, showSource } from '@latchkey/catalog'
import { AclError, type Intention } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import type { Change } from '../store/store.ts'
import { maySee } from './rights.ts'

/** The state of the migration to config entries; `undefined` before it. */
export function migrationOf(directory: Directory): IntentionMigrationRecord | undefined {
  return directory.system('intentions')?.Value
}

/** @throws AclError `intentions_migrating`. */
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

/** @throws AclError `field_required`, `field_invalid`, `namespace_unsupported`. */
export function endsAsked(
  { service: { edition } }: Context,
  {
    source,
    destination,
  }: { readonly source?: string | undefined; readonly destination?: string | undefined },
): IntentionEnds {
  const from = parseEnd(source, 'source', edition)
  const to = parseEnd(destination, 'destination', edition)
  return {
    SourceNS: from.namespace,
    SourceName: from.name,
    DestinationNS: to.namespace,
    DestinationName: to.name,
  }
}

/** Puts an intention and its destination. */
export function putIntention(directory: Directory, record: IntentionRecord): readonly Change[] {
  const existing = directory.intentions().findExact(record)
  return [
    { table: 'intentions', op: 'put', record, expect: existing?.ModifyIndex ?? 0 },
    putDestination(directory, record),
  ]
}

/** Puts an intention in place of another, which may have different ends. */
export function replaceIntention(
  directory: Directory,
  existing: IntentionRecord,
  record: IntentionRecord,
): readonly Change[] {
  if (intentionKey(record) === intentionKey(existing)) return putIntention(directory, record)
  if (destinationKey(record) !== destinationKey(existing)) {
    return [...deleteIntention(directory, existing), ...putIntention(directory, record)]
  }
  const end: Change = { table: 'intentions', op: 'delete', record: existing, expect: existing.ModifyIndex }
  return [end, ...putIntention(directory, record)]
}

/** Deletes an intention, and its destination with the last one. */
export function deleteIntention(directory: Directory, record: IntentionRecord): readonly Change[] {
  const entry = directory.intentions().entry(record)
  const isLast = (entry?.sources.length ?? 0) <= 1
  return [
    { table: 'intentions', op: 'delete', record, expect: record.ModifyIndex },
    isLast && entry
      ? {
          table: 'intentionDestinations',
          op: 'delete',
          record: entry.destination,
          expect: entry.destination.ModifyIndex,
        }
      : putDestination(directory, record),
  ]
}

/** Every change to an intention also writes its destination, so that concurrent changes conflict. */
function putDestination(
  directory: Directory,
  { DestinationNS, DestinationName }: IntentionDestination,
): Change {
  const existing = directory.intentions().entry({ DestinationNS, DestinationName })?.destination
  const record = existing ?? { DestinationNS, DestinationName, Meta: {}, CreateIndex: 0, ModifyIndex: 0 }
  return { table: 'intentionDestinations', op: 'put', record, expect: record.ModifyIndex }
}

/** Replaces all intentions to a destination. */
export function putEntry(directory: Directory, { destination, sources }: EntryRecords): readonly Change[] {
  const existing = directory.intentions().entry(destination)
  const kept = new Set(sources.map(intentionKey))
  const indexes = new Map(existing?.sources.map((source) => [intentionKey(source), source.ModifyIndex]))
  return [
    ...(existing?.sources ?? [])
      .filter((source) => !kept.has(intentionKey(source)))
      .map((record): Change => ({ table: 'intentions', op: 'delete', record, expect: record.ModifyIndex })),
    ...sources.map(
      (record): Change => ({
        table: 'intentions',
        op: 'put',
        record,
        expect: indexes.get(intentionKey(record)) ?? 0,
      }),
    ),
    {
      table: 'intentionDestinations',
      op: 'put',
      record: destination,
      expect: existing?.destination.ModifyIndex ?? 0,
    },
  ]
}

/** Deletes all intentions to a destination. Empty if there are none. */
export function deleteEntry(directory: Directory, destination: IntentionDestination): readonly Change[] {
  const existing = directory.intentions().entry(destination)
  if (!existing) return []
  return [
    ...existing.sources.map(
      (record): Change => ({ table: 'intentions', op: 'delete', record, expect: record.ModifyIndex }),
    ),
    {
      table: 'intentionDestinations',
      op: 'delete',
      record: existing.destination,
      expect: existing.destination.ModifyIndex,
    },
  ]
}
