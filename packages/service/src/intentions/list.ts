import type { ShapeOf } from '@latchkey/acl'
import type { Intention } from '@latchkey/contract'
import { type Answer, type Call, json, tellLack } from '../handler.ts'
import { filterFor } from '../request/filter.ts'
import { isListed } from '../request/namespace.ts'
import { maySee } from './rights.ts'
import { intentionShown } from './stored-intentions.ts'

/** Lists intentions of all namespaces before 1.9.0, and only those of the request's namespace since. Spec 9.3 (1.9.0). */
export async function listIntentionsHandler(
  call: Call<'intentions.list'>,
): Promise<Answer<'intentions.list'>> {
  const { directory, service } = call
  const isOneNamespace = service.profile.has('intentions.listByNamespace')
  const listed = directory
    .intentions()
    .list()
    .filter(({ DestinationNS }) => !isOneNamespace || isListed(call, DestinationNS))
  const visible = listed.filter((intention) => maySee(call, intention))
  const shown = visible.map(intentionShown(directory))
  const selected = await filterFor(call, shown, FILTERED)
  const watch = { topic: 'intentions', filtered: true } as const
  return tellLack(json([...selected], watch), visible.length < listed.length)
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
