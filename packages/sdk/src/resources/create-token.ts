/** Creates exactly one token per call, despite network failures. Spec 2.1, 4.2. */
import { Conflict, LatchkeyError, PermissionDenied, Unavailable } from '../errors.ts'
import type { WithMeta } from '../meta.ts'
import type { CallOptions, Settings } from '../options.ts'
import { send } from '../request/send.ts'
import type { Token, TokenCreate } from '../types.ts'
import { randomUuid } from './uuid.ts'

/**
 * Creates a token with IDs generated here. If an attempt may have been applied and its retry is refused because an ID
 * is in use, reads the token with the secret that only this call knows: if the token exists, this call created it.
 */
export async function createToken(
  settings: Settings,
  token: TokenCreate,
  options: CallOptions,
): Promise<WithMeta<Token>> {
  const isOwnSecret = token.SecretID === undefined
  const AccessorID = token.AccessorID ?? (isOwnSecret ? randomUuid() : undefined)
  const SecretID = token.SecretID ?? randomUuid()
  return await send(settings, {
    endpoint: 'tokens.create',
    json: { ...token, AccessorID, SecretID },
    secrets: [SecretID],
    // A caller's own secret may belong to an older token, which would be mistaken for the new one.
    ...(isOwnSecret && AccessorID !== '' ? { repeatable: 'always' } : {}),
    ...(AccessorID === undefined || AccessorID === '' ? {} : { recordId: AccessorID }),
    recover: async (refusal) => (refusal instanceof Conflict ? await readOwn(refusal) : undefined),
    options,
  })

  async function readOwn(refusal: Conflict): Promise<WithMeta<Token> | undefined> {
    try {
      const own = await send({ ...settings, token: () => SecretID }, { endpoint: 'tokens.self', options })
      return own.value.AccessorID === AccessorID ? own : undefined
    } catch (error) {
      if (error instanceof PermissionDenied) return undefined
      if (!(error instanceof LatchkeyError)) throw error
      throw new Unavailable({
        message: `tokens.create: an attempt is in doubt, and the token cannot be read (${error.message})`,
        endpoint: 'tokens.create',
        maybeApplied: true,
        recordId: AccessorID,
        cause: refusal,
      })
    }
  }
}
