import { WILDCARD } from '@latchkey/acl'
import { type Answer, type Call, json, missing } from '../handler.ts'
import { requireIntentionRead } from './rights.ts'
import { intentionNotFound, intentionShown, seenIntention } from './stored-intentions.ts'

/** 404 for an unknown ID, or an intention that the caller may not read; 403 without a right to read any. */
export function readIntentionHandler(call: Call<'intentions.read'>): Answer<'intentions.read'> {
  const { caller, directory, params } = call
  const watch = { topic: 'intentions', filtered: true } as const
  requireIntentionRead(call, { namespace: caller.token.Namespace, name: WILDCARD })
  const intention = seenIntention(call, directory, params.ID)
  if (!intention) return missing(intentionNotFound(), watch)
  return json(intentionShown(directory)(intention), watch)
}
