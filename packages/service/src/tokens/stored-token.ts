/** A stored token as its handlers find and show it. */

import { isExpired, showToken, type TokenRecord } from '@latchkey/acl'
import type { Token } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, notFound } from '../handler.ts'
import { withoutLater } from '../reply/later-fields.ts'

/** The token, unless it is absent, expired or in another namespace, which are the same to a caller. */
export async function findToken(call: Context, accessorId: string): Promise<TokenRecord | undefined> {
  return visibleToken(call, await call.service.store.tokenByAccessor(accessorId))
}

/** The token that the store has, if the caller may know of it. */
export function visibleToken(call: Context, token: TokenRecord | undefined): TokenRecord | undefined {
  if (!token || isExpired(token, call.service.clock.now())) return undefined
  return token.Namespace === call.namespace ? token : undefined
}

/** @throws AclError `not_found`. */
export async function requireToken(call: Context, accessorId: string): Promise<TokenRecord> {
  const token = await findToken(call, accessorId)
  if (!token) throw notFound('Requested token')
  return token
}

/** The record as its writer sees it: a caller that may write tokens may see their secrets. Spec 5.3. */
export function shownToWriter({ service, directory }: Context, record: TokenRecord): JsonAnswer<Token> {
  const showNamespace = service.edition === 'extended'
  const shown = showToken(record, { directory, showSecret: true, showNamespace })
  return json(withoutLater(shown, service.profile))
}
