import type { Answer, Call } from '../handler.ts'
import { answerInstances } from './instances.ts'

/** Gateways cannot be configured, so none serves a service. */
export function ingressHealthHandler(
  call: Call<'health.ingress'>,
): Answer<'health.ingress'> | Promise<Answer<'health.ingress'>> {
  return answerInstances(call, call.params.Service, () => [])
}
