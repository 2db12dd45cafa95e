import { intentionsSecondsLeft, type ShapeOf, WILDCARD } from '@latchkey/acl'
import {
  createIntention,
  deleteExact,
  endsOf,
  parseEnd,
  requireSourceType,
  updateIntention,
  writeExact,
} from '@latchkey/catalog'
import { AclError, formatInstant, type Intention, limits } from '@latchkey/contract'
import { type Handler, json, missing, tellLack } from '../handler.ts'
import { RepeatedContent } from '../reply/repeated-content.ts'
import { filterFor } from '../request/filter.ts'
import { isListed } from '../request/namespace.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { maySee, requireIntentionRead, requireIntentionWrite, requireSpellings } from './rights.ts'
import {
  deleteEntry,
  deleteIntention,
  editionOfEnds,
  endsAsked,
  intentionNotFound,
  intentionShown,
  migrationOf,
  putEntry,
  putIntention,
  replaceIntention,
  requireWritableNow,
  seenIntention,
} from './stored-intentions.ts'

/**
 * Lists intentions of all namespaces before 1.9.0, and only those of the request's namespace since. Spec 9.3 (1.9.0). The
 * standard edition has no namespaces to choose from, and keeps showing those that were written before.
 */
export const listIntentionsHandler: Handler<'intentions.list'> = async (call) => {
  const { directory, service } = call
  const isOneNamespace = service.edition === 'extended' && service.profile.has('intentions.listByNamespace')
  const listed = directory
    .intentions()
    .list()
    .filter(({ DestinationNS }) => !isOneNamespace || isListed(call, DestinationNS))
  const visible = listed.filter((intention) => maySee(call, intention))
  const shown = visible.map(intentionShown(directory))
  const watch = { topic: 'intentions', filtered: true } as const
  return tellLack(json(await filterFor(call, shown, FILTERED), watch), visible.length < listed.length)
}

const FILTERED: ShapeOf<Intention> = {
  Action: 'text',
  Description: 'text',
  DestinationNS: 'text',
  DestinationName: 'text',
  ID: 'text',
  Meta: { map: 'text' },
  Precedence: 'number',
  SourceNS: 'text',
  SourceName: 'text',
  SourceType: 'text',
}

export const createIntentionHandler: Handler<'intentions.create'> = (call) => {
  const { body, service } = call
  const { store, random } = service
  const edition = editionOfEnds(service)
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, endsOf(body, edition))
    requireWritableNow(call, 'id')
    const directory = store.directory()
    const intentions = directory.intentions()
    const record = createIntention(body, { intentions, edition, now: call.now, random })
    const { LegacyID: ID = '' } = record
    return { changes: putIntention(directory, record), answer: () => json({ ID }) }
  })
}

/** 404 for an unknown ID, or an intention that the caller may not read; 403 without a right to read any. */
export const readIntentionHandler: Handler<'intentions.read'> = (call) => {
  const { caller, directory, params } = call
  const watch = { topic: 'intentions', filtered: true } as const
  requireIntentionRead(call, { namespace: caller.token.Namespace, name: WILDCARD })
  const intention = seenIntention(call, directory, params.ID)
  if (!intention) return missing(intentionNotFound(), watch)
  return json(intentionShown(directory)(intention), watch)
}

/** Needs the right to the old and to the new destination. */
export const updateIntentionHandler: Handler<'intentions.update'> = (call) => {
  const { body, params, service } = call
  const { store, profile } = service
  const edition = editionOfEnds(service)
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, endsOf(body, edition))
    const directory = store.directory()
    const intentions = directory.intentions()
    const existing = seenIntention(call, directory, params.ID)
    if (existing) requireIntentionWrite(call, existing)
    requireWritableNow(call, 'id')
    if (!existing) throw unknownIntention('modify', params.ID)
    const keepsDestination = profile.has('intentions.configEntries')
    const context = { intentions, edition, now: call.now, keepsDestination }
    const record = updateIntention(existing, body, context)
    return { changes: replaceIntention(directory, existing, record), answer: () => json({ ID: params.ID }) }
  })
}

function unknownIntention(what: 'modify' | 'delete', id: string): AclError {
  return new AclError('not_found', `Cannot ${what} non-existent intention: '${id}'`)
}

export const deleteIntentionHandler: Handler<'intentions.delete'> = (call) =>
  decideAndCommitFor(call, () => {
    const directory = call.service.store.directory()
    const existing = seenIntention(call, directory, call.params.ID)
    if (existing) requireIntentionWrite(call, existing)
    requireWritableNow(call, 'id')
    if (!existing) throw unknownIntention('delete', call.params.ID)
    return { changes: deleteIntention(directory, existing), answer: () => json(true) }
  })

/** Checks the right for every requested name, so the other end of a shown intention needs no check. */
export const matchIntentionsHandler: Handler<'intentions.match'> = (call) => {
  const { directory, query, service } = call
  const { by, name: names = [] } = query
  if (by === undefined) throw missingOption('by')
  if (names.length === 0) throw missingOption('name')
  if (names.length > limits.MATCH_NAMES_MAX) {
    const message = `name must be given at most ${limits.MATCH_NAMES_MAX} times`
    throw new AclError('field_invalid', message, { field: 'name' })
  }
  const ends = names.map((name) => [name, parseEnd(name, 'name', editionOfEnds(service))] as const)
  for (const [, end] of ends)
    requireSpellings(call, { ...end, end: by }, { resource: 'intention', access: 'read' })
  const intentions = directory.intentions()
  const show = intentionShown(directory)
  const repeated = new RepeatedContent()
  const matches = ends.map(([asked, { namespace, name }]) => {
    const found =
      by === 'source' ? intentions.ofSource(namespace, name) : intentions.toDestination(namespace, name)
    const shown = found.map((intention) => {
      const element = show(intention)
      repeated.add(intention, () => JSON.stringify(element).length)
      return element
    })
    return [asked, shown] as const
  })
  matches.sort(([one], [other]) => (one < other ? -1 : 1))
  return json(Object.fromEntries(matches), { topic: 'intentions', filtered: true })
}

function missingOption(field: string): AclError {
  return new AclError('field_required', `required query parameter '${field}' not set`, { field })
}

/** If no intention matches, the default decides: allow if ACLs are off or the default policy allows. */
export const checkIntentionHandler: Handler<'intentions.check'> = (call) => {
  const { directory, query, service } = call
  const ends = endsAsked(call, query)
  requireSourceType(query['source-type'])
  const destination = {
    namespace: ends.DestinationNS,
    name: ends.DestinationName,
    end: 'destination',
  } as const
  requireSpellings(call, destination, { resource: 'service', access: 'read' })
  const deciding = directory.intentions().deciding(ends)
  const isAllowedByDefault = !service.aclEnabled || service.defaultPolicy === 'allow'
  const Allowed = deciding ? deciding.Action === 'allow' : isAllowedByDefault
  return json({ Allowed }, { topic: 'intentions', filtered: true })
}

/** Progress of the migration to config entries. Spec 9.5. */
export const migrationOfIntentionsHandler: Handler<'intentions.migration'> = (call) => {
  const { directory, now } = call
  const recorded = migrationOf(directory)
  const intentions = directory.intentions()
  const destinations = [...intentions.allEntries()].length
  return json({
    State: recorded?.state ?? 'none',
    Intentions: intentions.list().length,
    Destinations: destinations,
    EstimatedSeconds: intentionsSecondsLeft(recorded, { destinations, now }),
    ...(recorded === undefined ? {} : { Since: formatInstant(recorded.since) }),
    ...(recorded?.state === 'waiting' ? { WaitsFor: [...(recorded.waitsFor ?? [])] } : {}),
  })
}

/** 403 without the right to either end, whether or not the intention exists. */
export const readExactIntentionHandler: Handler<'intentions.readExact'> = (call) => {
  const { directory } = call
  const ends = endsAsked(call, call.query)
  if (!maySee(call, ends))
    requireIntentionRead(call, { namespace: ends.DestinationNS, name: ends.DestinationName })
  const watch = { topic: 'intentions', filtered: true } as const
  const intention = directory.intentions().findExact(ends)
  // It may be stored in another spelling, which the caller may not read.
  if (!intention || !maySee(call, intention)) return missing(intentionNotFound(), watch)
  return json(intentionShown(directory)(intention), watch)
}

/** Edits the config entry of the destination, so all of its sources lose their IDs and times. Spec 9.5.3. */
export const writeExactIntentionHandler: Handler<'intentions.writeExact'> = (call) => {
  const { body, query, service } = call
  const { store, edition } = service
  const ends = endsAsked(call, query)
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, ends)
    requireWritableNow(call, 'entry')
    const directory = store.directory()
    const entry = writeExact(ends, body, { intentions: directory.intentions(), edition })
    return { changes: putEntry(directory, entry), answer: () => json(true) }
  })
}

/** `true`, even if the record does not exist. */
export const deleteExactIntentionHandler: Handler<'intentions.deleteExact'> = (call) => {
  const { query, service } = call
  const { store, edition } = service
  const ends = endsAsked(call, query)
  return decideAndCommitFor(call, () => {
    requireIntentionWrite(call, ends)
    requireWritableNow(call, 'entry')
    const directory = store.directory()
    const intentions = directory.intentions()
    if (!intentions.findExact(ends)) return { changes: [], answer: () => json(true) }
    const left = deleteExact(ends, { intentions, edition })
    const changes = left ? putEntry(directory, left) : deleteEntry(directory, ends)
    return { changes, answer: () => json(true) }
  })
}
