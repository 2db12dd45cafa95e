import type { Answer, Call } from '../handler.ts'
import { writeAuthMethodBy } from './write.ts'

export function createAuthMethodHandler(
  call: Call<'authMethods.create'>,
): Promise<Answer<'authMethods.create'>> {
  return writeAuthMethodBy(call, call.body, call.query.check !== 'false')
}
