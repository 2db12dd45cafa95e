import { randomUuid, toLegacyToken, writeLegacyToken } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommitFor } from '../store/commit.ts'
import { living, requireSecret } from './legacy-token.ts'

/** Creates a token with a new secret and the same rights. */
export function cloneLegacyHandler(call: Call<'legacy.clone'>): Promise<Answer<'legacy.clone'>> {
  const { store, random } = call.service
  const secretId = requireSecret(call.params)
  return decideAndCommitFor(call, async () => {
    const source = living(call, await store.tokenBySecret(secretId))
    const legacy = source && toLegacyToken(source)
    if (!legacy) throw new AclError('privilege_missing', 'Permission denied')
    const record = writeLegacyToken(undefined, { ...legacy, ID: randomUuid(random) }, undefined)
    return {
      changes: [{ table: 'tokens', op: 'put', record, expect: 0 }],
      answer: () => json({ ID: record.SecretID }),
    }
  })
}
