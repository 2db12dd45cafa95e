/** Intentions in API answers. */

import { type IntentionRecord, precedenceOf, type StoredEntry } from '@latchkey/acl'
import type { Intention } from '@latchkey/contract'

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
