import type { LegacyToken } from '@latchkey/contract'
import { type Answer, type Call, json } from '../handler.ts'
import { compareUtf8 } from '../store/list-order.ts'
import { legacyEntries } from './legacy-token.ts'

/** All legacy tokens, in byte order of their IDs. */
export async function listLegacyHandler(call: Call<'legacy.list'>): Promise<Answer<'legacy.list'>> {
  const legacy: LegacyToken[] = []
  for await (const tokens of call.service.store.tokens({ legacy: true }))
    legacy.push(...legacyEntries(call, tokens))
  legacy.sort((a, b) => compareUtf8(a.ID, b.ID))
  return json(legacy, { topic: 'tokens', filtered: true })
}
