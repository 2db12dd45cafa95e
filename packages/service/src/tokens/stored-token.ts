/** A stored token as its handlers find and show it. */

import { andThen, isExpired, type MaybePromise, showToken, type TokenRecord } from '@latchkey/acl'
import type { Token } from '@latchkey/contract'
import { type Context, type JsonAnswer, json, notFound } from '../handler.ts'

/** The token, unless it is absent, expired or of another namespace, which are the same to a caller. */
export function findToken(call: Context, accessorId: string): MaybePromise<TokenRecord | undefined> {
  return andThen(call.service.store.tokenByAccessor(accessorId), (token) => {
    if (!token || isExpired(token, call.service.clock.now())) return undefined
    return token.Namespace === call.namespace ? token : undefined
  })
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
  return json(showToken(record, { directory, showSecret: true, showNamespace }))
}
