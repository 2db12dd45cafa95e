import { type Answer, type Call, json, missing } from '../handler.ts'
import { maySee, requireIntentionRead } from './rights.ts'
import { endsAsked, intentionNotFound, intentionShown } from './stored-intentions.ts'

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
