import { type Answer, type Call, json, missing } from '../handler.ts'
import { intentionNotFound, intentionShown, requireSight } from './stored-intentions.ts'

/** 404 for an unknown ID, whatever the caller may read. */
export function readIntentionHandler(call: Call<'intentions.read'>): Answer<'intentions.read'> {
  const { directory, params } = call
  const watch = { topic: 'intentions', filtered: true } as const
  const intention = directory.intentions().find(params.ID)
  if (!intention) return missing(intentionNotFound(), watch)
  requireSight(call, intention)
  return json(intentionShown(directory)(intention), watch)
}
