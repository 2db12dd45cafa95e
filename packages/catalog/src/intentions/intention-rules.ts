/** The rules of the ID-based API. Spec 9.5; decisions: intentions. */

import {
  destinationKey,
  type IntentionEnds,
  type IntentionIndex,
  type IntentionRecord,
  intentionHash,
  precedenceOf,
  type Random,
  randomUuid,
} from '@latchkey/acl'
import { AclError, type CreateIntention, formatInstant, type UpdateIntention } from '@latchkey/contract'
import {
  actionOf,
  checkEnd,
  checkSourceType,
  describeIntention,
  namespaceOfEnd,
  requireName,
} from './intention-fields.ts'

interface IntentionContext {
  readonly intentions: IntentionIndex
  readonly edition: 'standard' | 'extended'
  readonly now: number
}

/** The source and destination in a body. */
export function endsOf(
  request: CreateIntention | UpdateIntention,
  edition: 'standard' | 'extended',
): IntentionEnds {
  const { SourceName, DestinationName } = request
  requireName(SourceName, 'SourceName')
  requireName(DestinationName, 'DestinationName')
  const SourceNS = namespaceOfEnd(request.SourceNS, 'SourceNS', edition)
  const DestinationNS = namespaceOfEnd(request.DestinationNS, 'DestinationNS', edition)
  checkEnd({ namespace: SourceNS, name: SourceName }, { namespace: 'SourceNS', name: 'SourceName' })
  const destination = { namespace: DestinationNS, name: DestinationName }
  checkEnd(destination, { namespace: 'DestinationNS', name: 'DestinationName' })
  return { SourceNS, SourceName, DestinationNS, DestinationName }
}

/** Builds the record of a new intention. */
export function createIntention(
  request: CreateIntention,
  { random, ...context }: IntentionContext & { readonly random: Random },
): IntentionRecord {
  if (request.ID) {
    throw new AclError('field_invalid', 'ID must be empty when creating a new intention', { field: 'ID' })
  }
  const ends = endsOf(request, context.edition)
  const content = contentOf(request)
  requireEditable(ends, context.intentions)
  const holder = context.intentions.findExact(ends)
  if (holder) throw duplicate(holder)
  const time = formatInstant(context.now)
  return withIntentionHash({
    ...ends,
    ...content,
    LegacyID: randomUuid(random),
    LegacyCreateTime: time,
    LegacyUpdateTime: time,
    Hash: '',
    CreateIndex: 0,
    ModifyIndex: 0,
  })
}

/**
 * Builds the record that replaces an intention.
 * @param keepsDestination whether the destination must not change, as from 1.9.0.
 */
export function updateIntention(
  existing: IntentionRecord,
  request: UpdateIntention,
  { keepsDestination, ...context }: IntentionContext & { readonly keepsDestination: boolean },
): IntentionRecord {
  const ends = endsOf(request, context.edition)
  const content = contentOf(request)
  if (keepsDestination && destinationKey(ends) !== destinationKey(existing)) {
    throw new AclError(
      'field_immutable',
      'Cannot modify DestinationNS or DestinationName for an intention once it exists.',
      { field: ends.DestinationNS === existing.DestinationNS ? 'DestinationName' : 'DestinationNS' },
    )
  }
  requireEditable(ends, context.intentions)
  const holder = context.intentions.findExact(ends)
  if (holder && holder.LegacyID !== existing.LegacyID) throw duplicate(holder)
  return withIntentionHash({
    // With another source or destination it becomes another row, which keeps its CreateIndex.
    ...existing,
    ...ends,
    ...content,
    LegacyUpdateTime: formatInstant(context.now),
  })
}

/**
 * An edit through config entries removes the IDs of all intentions to a destination, and rules out ID-based
 * writes.
 */
function requireEditable(ends: IntentionEnds, intentions: IntentionIndex): void {
  const sources = intentions.entry(ends)?.sources ?? []
  if (sources.every(({ LegacyID }) => LegacyID !== undefined)) return
  const message = `cannot use legacy intention API to edit intentions with a destination of ${JSON.stringify(ends.DestinationName)} after editing them via a service-intentions config entry`
  throw new AclError('intention_edited', message)
}

function contentOf(request: CreateIntention | UpdateIntention) {
  const { Permissions = [], Action, Description = '', Meta = {}, SourceType } = request
  if (Permissions.length > 0) {
    const message = 'Permissions must not be set in the ID-based API: use config entries'
    throw new AclError('field_invalid', message, { field: 'Permissions' })
  }
  checkSourceType(SourceType, 'SourceType')
  return {
    SourceType: 'consul',
    Action: actionOf(Action, 'Action'),
    Permissions: [],
    Description,
    LegacyMeta: Meta,
  } as const
}

function duplicate(holder: IntentionRecord): AclError {
  const { LegacyID = '', Action } = holder
  const message = `duplicate intention found: ${describeIntention(holder, Action)} (ID: ${LegacyID}, Precedence: ${precedenceOf(holder)})`
  return new AclError('intention_in_use', message)
}

function withIntentionHash(record: IntentionRecord): IntentionRecord {
  return { ...record, Hash: intentionHash(record) }
}
