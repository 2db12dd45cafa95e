import { isGone, showToken, type TokenRecord } from '@latchkey/acl'
import type { Token } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, notFound } from '../handler.ts'
import { laterFieldsOf, withoutLater } from '../reply/later-fields.ts'

/** The token, unless it is missing, expired, out of reach or in another namespace. Callers cannot distinguish these cases. */
export async function findToken(call: Context, accessorId: string): Promise<TokenRecord | undefined> {
  return visibleToken(call, await call.service.store.tokenByAccessor(accessorId))
}

function visibleToken(call: Context, token: TokenRecord | undefined): TokenRecord | undefined {
  if (!token || isGone(token, call.service.clock.now(), call.service.store.directory())) return undefined
  if (call.isFromSecondary && token.Local) return undefined
  return token.Namespace === call.namespace ? token : undefined
}

/** Calls `use` with the result of {@link findToken}, synchronously if it is in memory. */
export function withTokenIfAny<T>(
  call: Context,
  accessorId: string,
  use: (token: TokenRecord | undefined) => T,
): T | Promise<T> {
  const known = call.service.store.memory?.tokenByAccessor(accessorId)
  if (known) return use(visibleToken(call, known.record))
  return findToken(call, accessorId).then(use)
}

/** Calls `use` with a stored token, synchronously if it is in memory. @throws AclError `not_found`. */
export function withToken<T>(
  call: Context,
  accessorId: string,
  use: (token: TokenRecord) => T,
): T | Promise<T> {
  return withTokenIfAny(call, accessorId, (token) => {
    // Nomad's client looks for the words of the delete, and then counts the token as deleted.
    const isDelete = call.route.name === 'tokens.delete'
    if (!token) throw notFound(isDelete ? 'Cannot find token to delete: the token' : 'Requested token')
    return use(token)
  })
}

/** The record with its secret, which a caller that may write tokens may see. Spec 5.3. */
export function shownToWriter({ service, directory }: Context, record: TokenRecord): JsonAnswer<Token> {
  const showNamespace = service.edition === 'extended'
  const shown = showToken(record, { directory, showSecret: true, showNamespace })
  return json(withoutLater(shown, laterFieldsOf(service.profile)))
}
