import type { Answer, Call } from '../handler.ts'
import { answerInstances } from './instances.ts'

/** Native instances of a service, and the proxies in front of it. */
export function connectHandler(call: Call<'catalog.connect'>): Promise<Answer<'catalog.connect'>> {
  const { params, namespace } = call
  return answerInstances(call, params.Service, (catalog) =>
    catalog.connectInstances(params.Service, namespace),
  )
}
