/** The rules of delete. Spec 4.7; decisions: tokens. */
import { AclError } from '@latchkey/contract'
import { ANONYMOUS_TOKEN_ACCESSOR_ID } from '../builtin.ts'
import type { TokenRecord } from '../records/records.ts'

/** @throws AclError `delete_refused` for the anonymous token and for the token that the request presents. */
export function checkDelete(existing: TokenRecord, caller: TokenRecord): void {
  if (existing.AccessorID === ANONYMOUS_TOKEN_ACCESSOR_ID) {
    throw new AclError('delete_refused', 'Delete operation not permitted on the anonymous token')
  }
  if (existing.SecretID === caller.SecretID) {
    throw new AclError('delete_refused', "Deletion of the request's authorization token is not permitted")
  }
}
