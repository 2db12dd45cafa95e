import { toLegacyToken } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { living, requireSecret } from './legacy-token.ts'

/** An array with the token, or an empty one: a caller that knows the secret may see its token. */
export async function infoLegacyHandler(call: Call<'legacy.info'>): Promise<Answer<'legacy.info'>> {
  const stored = await call.service.store.tokenBySecret(requireSecret(call.params))
  const token = living(call, stored)
  const legacy = token && toLegacyToken(token)
  const news = token ? { modifyIndex: token.ModifyIndex } : { filtered: true as const }
  const watch = { topic: 'tokens', ...news } as const
  return json(legacy ? [legacy] : [], stored && !token ? { ...watch, leavesOutExpired: true } : watch)
}
