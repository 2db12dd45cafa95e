import { randomUuid } from '@latchkey/acl'
import type { Answer, Call } from '../handler.ts'
import { writeLegacy } from './legacy-token.ts'

/** An existing legacy ID is overwritten; a missing one is generated. The body is optional. */
export function createLegacyHandler(call: Call<'legacy.create'>): Promise<Answer<'legacy.create'>> {
  return writeLegacy(call, { ...call.body, ID: call.body.ID || randomUuid(call.service.random) })
}
