import { AclError } from '@latchkey/contract'
import type { Answer, Call } from '../handler.ts'
import { writeAuthMethodBy } from './write.ts'

/** Updates the method named in the path or, if the path names none, in the body. Decisions: empty ids. */
export async function updateAuthMethodHandler(
  call: Call<'authMethods.update'>,
): Promise<Answer<'authMethods.update'>> {
  const { body, params, query } = call
  if (params.Name !== '' && body.Name && body.Name !== params.Name) {
    throw new AclError('accessor_mismatch', 'AuthMethod Name in URL and payload do not match', {
      field: 'Name',
    })
  }
  return writeAuthMethodBy(call, { ...body, Name: params.Name || body.Name }, query.check !== 'false')
}
