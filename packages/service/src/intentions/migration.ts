import { intentionsSecondsLeft } from '@latchkey/acl'
import { formatInstant } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { migrationOf } from './stored-intentions.ts'

/** Progress of the migration to config entries. Spec 9.5. */
export function migrationOfIntentionsHandler(
  call: Call<'intentions.migration'>,
): Answer<'intentions.migration'> {
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
