/** Intentions by both of their ends. Spec 9.5.3. */

import { deleteExact, writeExact } from '@latchkey/catalog'
import { type Answer, type Call, json, missing } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { maySee, requireIntentionRead, requireIntentionWrite } from './rights.ts'
import {
  deleteEntry,
  endsAsked,
  intentionNotFound,
  intentionShown,
  putEntry,
  requireWritableNow,
} from './stored-intentions.ts'

/** 403 without the right to either end, whether or not the intention exists. */
export function readExactIntentionHandler(
  call: Call<'intentions.readExact'>,
): Answer<'intentions.readExact'> {
  const { directory } = call
  const ends = endsAsked(call, call.query)
  if (!maySee(call, ends)) {
    requireIntentionRead(call, { namespace: ends.DestinationNS, name: ends.DestinationName })
  }
  const watch = { topic: 'intentions', filtered: true } as const
  const intention = directory.intentions().findExact(ends)
  // It may be stored in another spelling, which the caller may not read.
  if (!intention || !maySee(call, intention)) return missing(intentionNotFound(), watch)
  return json(intentionShown(directory)(intention), watch)
}

/** Edits the config entry of the destination, so all of its sources lose their IDs and times. Spec 9.5.3. */
export function writeExactIntentionHandler(
  call: Call<'intentions.writeExact'>,
): Promise<Answer<'intentions.writeExact'>> {
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
export function deleteExactIntentionHandler(
  call: Call<'intentions.deleteExact'>,
): Promise<Answer<'intentions.deleteExact'>> {
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
