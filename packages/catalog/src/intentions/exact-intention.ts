/** Writes by source and destination, as edits of one source in a config entry. Spec 9.5; decisions: intentions. */
import {
  type IntentionDestination,
  type IntentionEnds,
  type IntentionIndex,
  type IntentionRecord,
  intentionKey,
  precedenceOf,
  type StoredEntry,
} from '@latchkey/acl'
import { AclError, type ExactIntention, type Intention } from '@latchkey/contract'
import { type EntryRecords, showEntry, writeEntry } from './config-entry.ts'

type Edition = 'standard' | 'extended'

/** Returns the entry with the intention added or replaced. */
export function writeExact(
  ends: IntentionEnds,
  request: ExactIntention,
  { intentions, edition }: { readonly intentions: IntentionIndex; readonly edition: Edition },
): EntryRecords {
  const existing = intentions.entry(ends)
  const Meta = existing?.destination.Meta ?? {}
  if (request.Meta && Object.keys(request.Meta).length > 0 && !isSame(request.Meta, Meta)) {
    const message = existing
      ? 'Meta must not be specified, or should be unchanged during an update.'
      : 'Meta must not be specified'
    throw new AclError('field_invalid', message, { field: 'Meta' })
  }
  const { Action, Permissions, Description, SourceType } = request
  const source = {
    Name: ends.SourceName,
    Namespace: ends.SourceNS,
    ...(Action === undefined ? {} : { Action }),
    ...(Permissions === undefined ? {} : { Permissions }),
    ...(Description === undefined ? {} : { Description }),
    ...(SourceType === undefined ? {} : { Type: SourceType }),
  }
  const Sources = [source, ...others(ends, intentions)]
  return entryOf(existing?.destination ?? ends, Sources, { Meta, edition })
}

/** Returns the entry without the intention; `undefined` if no source is left. */
export function deleteExact(
  ends: IntentionEnds,
  { intentions, edition }: { readonly intentions: IntentionIndex; readonly edition: Edition },
): EntryRecords | undefined {
  const left = others(ends, intentions)
  const existing = intentions.entry(ends)
  if (!existing || left.length === 0) return undefined
  return entryOf(existing.destination, left, { Meta: existing.destination.Meta, edition })
}

/** The other sources of the destination, in the form of a request body. */
function others(ends: IntentionEnds, intentions: IntentionIndex) {
  const entry = intentions.entry(ends)
  if (!entry) return []
  const key = intentionKey(ends)
  const sources = entry.sources.filter((source) => intentionKey(source) !== key)
  return showEntry({ ...entry, sources }, true).Sources
}

function entryOf(
  { DestinationNS, DestinationName }: IntentionDestination,
  Sources: NonNullable<Parameters<typeof writeEntry>[0]['Sources']>,
  { Meta, edition }: { readonly Meta: Readonly<Record<string, string>>; readonly edition: Edition },
): EntryRecords {
  const request = { Name: DestinationName, Sources, Meta: { ...Meta } }
  return writeEntry(request, { namespace: DestinationNS, edition })
}

function isSame(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean {
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key])
}

/** The form before 1.9.0, with every field. Keys are in the order of the contract's schema. */
export function showIntention(record: IntentionRecord): Intention {
  return {
    ID: record.LegacyID ?? '',
    Description: record.Description,
    ...endsShown(record),
    SourceType: record.SourceType,
    ...(record.Action === undefined ? {} : { Action: record.Action }),
    DefaultAddr: '',
    DefaultPort: 0,
    Meta: { ...record.LegacyMeta },
    Precedence: precedenceOf(record),
    CreatedAt: record.LegacyCreateTime ?? '',
    UpdatedAt: record.LegacyUpdateTime ?? '',
    Hash: record.Hash,
    CreateIndex: record.CreateIndex,
    ModifyIndex: record.ModifyIndex,
  }
}

/** The form as part of its config entry: with the indexes of the entry, and without empty fields. Spec 9.5.3. */
export function showSource(record: IntentionRecord, { destination }: StoredEntry): Intention {
  const { LegacyID, LegacyCreateTime, LegacyUpdateTime, Action, Permissions } = record
  const Meta = LegacyID === undefined ? destination.Meta : record.LegacyMeta
  return {
    ...(LegacyID === undefined ? {} : { ID: LegacyID }),
    Description: record.Description,
    ...endsShown(record),
    SourceType: record.SourceType,
    ...(Action === undefined ? {} : { Action }),
    ...(Permissions.length === 0 ? {} : { Permissions: [...Permissions] }),
    ...(Object.keys(Meta).length === 0 ? {} : { Meta: { ...Meta } }),
    Precedence: precedenceOf(record),
    ...(LegacyCreateTime === undefined ? {} : { CreatedAt: LegacyCreateTime }),
    ...(LegacyUpdateTime === undefined ? {} : { UpdatedAt: LegacyUpdateTime }),
    ...(LegacyID === undefined ? {} : { Hash: record.Hash }),
    CreateIndex: destination.CreateIndex,
    ModifyIndex: destination.ModifyIndex,
  }
}

function endsShown({ SourceNS, SourceName, DestinationNS, DestinationName }: IntentionRecord) {
  return { SourceNS, SourceName, DestinationNS, DestinationName }
}
