import type { Answer, Call } from '../handler.ts'
import { answerService } from './instances.ts'

/** Spec 9.3 (1.0.7, 1.3.0). */
export function serviceHealthHandler(
  call: Call<'health.service'>,
): Answer<'health.service'> | Promise<Answer<'health.service'>> {
  return answerService(call, call.params.Service)
}
