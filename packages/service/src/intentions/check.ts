import { requireSourceType } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { requireSpellings } from './rights.ts'
import { endsAsked } from './stored-intentions.ts'

/** If no intention matches, the default decides: allow if ACLs are off or the default policy allows. */
export function checkIntentionHandler(call: Call<'intentions.check'>): Answer<'intentions.check'> {
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
