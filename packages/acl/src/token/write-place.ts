/** Where tokens are written in a secondary datacenter. Decisions: writes in a secondary. */
import type { TokenRecord } from '../records/records.ts'

/** `here`: in the datacenter that received the request. */
export type WritePlace = 'here' | 'primary'

/**
 * Where a secondary writes a token: local tokens here, all others in the primary.
 *
 * @param existing the token to clone, change or delete, if it is known here. An unknown token may be a global token
 * that has not arrived yet, so the primary decides.
 * @param requestedLocal `Local` of a create or an update. If it contradicts the token, the write is refused here, as in
 * the primary.
 */
export function placeOfTokenWrite(
  existing: Pick<TokenRecord, 'Local'> | undefined,
  requestedLocal?: boolean,
): WritePlace {
  return existing?.Local || requestedLocal ? 'here' : 'primary'
}
