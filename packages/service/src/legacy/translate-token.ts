import { AclError } from '@latchkey/contract'
import type { Answer, Call } from '../handler.ts'
import { withToken } from '../tokens/stored-token.ts'
import { translated } from './translate.ts'

/** Translates the rules of a stored token. */
export async function translateTokenHandler(
  call: Call<'legacy.translateToken'>,
): Promise<Answer<'legacy.translateToken'>> {
  return withToken(call, call.params.AccessorID, (token) => {
    if (token.Rules === '') {
      throw new AclError('legacy_rules_missing', 'The specified token does not have any rules set')
    }
    return translated(call, token.Rules)
  })
}
