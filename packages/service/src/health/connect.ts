import type { Catalog } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { answerInstances } from './instances.ts'
import { watchOfConnect } from './watches.ts'

export function connectHealthHandler(
  call: Call<'health.connect'>,
): Answer<'health.connect'> | Promise<Answer<'health.connect'>> {
  const { params, namespace } = call
  const instancesOf = (catalog: Catalog) => catalog.connectInstances(params.Service, namespace)
  return answerInstances(call, params.Service, instancesOf, watchOfConnect)
}
