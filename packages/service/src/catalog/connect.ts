import type { Catalog } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { watchOfConnect } from '../health/watches.ts'
import { answerInstances } from './instances.ts'

/** Native instances of a service, and the proxies in front of it. */
export function connectHandler(call: Call<'catalog.connect'>): Promise<Answer<'catalog.connect'>> {
  const { params, namespace } = call
  const instancesOf = (catalog: Catalog) => catalog.connectInstances(params.Service, namespace)
  return answerInstances(call, params.Service, instancesOf, watchOfConnect)
}
