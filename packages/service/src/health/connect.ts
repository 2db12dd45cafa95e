import type { Answer, Call } from '../handler.ts'
import { answerInstances } from './instances.ts'

export function connectHealthHandler(
  call: Call<'health.connect'>,
): Answer<'health.connect'> | Promise<Answer<'health.connect'>> {
  const { params, namespace } = call
  return answerInstances(call, params.Service, (catalog) =>
    catalog.connectInstances(params.Service, namespace),
  )
}
