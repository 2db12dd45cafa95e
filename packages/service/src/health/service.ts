import type { Answer, Call } from '../handler.ts'
import { answerInstances } from './instances.ts'

/** Spec 9.3 (1.0.7, 1.3.0). */
export function serviceHealthHandler(
  call: Call<'health.service'>,
): Answer<'health.service'> | Promise<Answer<'health.service'>> {
  const { params, namespace } = call
  return answerInstances(call, params.Service, (catalog) => catalog.instances(params.Service, namespace))
}
