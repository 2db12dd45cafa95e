import { AclError } from '@latchkey/contract'
import type { Answer, Call } from '../handler.ts'
import { writeLegacy } from './legacy-token.ts'

/** Like create, but the ID is required. An unknown ID creates a token. */
export function updateLegacyHandler(call: Call<'legacy.update'>): Promise<Answer<'legacy.update'>> {
  const { ID } = call.body
  if (!ID) throw new AclError('id_missing', 'ACL ID must be set', { field: 'ID' })
  return writeLegacy(call, { ...call.body, ID })
}
