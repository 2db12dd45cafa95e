/** Where tokens are written in a secondary datacenter. Decisions: writes in a secondary. */
import type { TokenRecord } from '../records/records.ts'

/** `here`: in the datacenter that was asked. */
export type WritePlace = 'here' | 'primary'

/**
 * Where a secondary writes a token: Local ones here, all others in the primary.
 *
 * @param existing the token that is created from, changed or deleted, if it is known here. An unknown one may be a global one
 *   that has not arrived yet, so the primary decides.
 * @param requestedLocal `Local` of a create or an update. Where it contradicts the token, the write is refused here, as in
 *   the primary.
 */
export function placeOfTokenWrite(
  existing: Pick<TokenRecord, 'Local'> | undefined,
  requestedLocal?: boolean,
): WritePlace {
  return existing?.Local || requestedLocal ? 'here' : 'primary'
}
