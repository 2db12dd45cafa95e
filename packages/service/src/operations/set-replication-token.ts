import type { ReplicationTokenRecord } from '@latchkey/acl'
import { AclError, REDACTED_SECRET_ID } from '@latchkey/contract'
import { secretsSeen } from '../caller/authority.ts'
import { globalManagementMissing } from '../caller/caller.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { decideAndCommit } from '../store/commit.ts'
import { changeSystem } from '../store/system-changes.ts'

/** What a header can contain without quotes. */
const TOKEN_FORM = /^[\x21-\x7e]*$/

/**
 * Sets the secret with which the processes of this datacenter replicate. An empty one restores the one in their configuration.
 *
 * @throws AclError `field_invalid`; `privilege_missing`: in the extended edition, replication affects every namespace.
 */
export function setReplicationTokenHandler(
  call: Call<'operations.setReplicationToken'>,
): Promise<Answer<'operations.setReplicationToken'>> {
  if (secretsSeen(call) !== 'all') throw globalManagementMissing(call.caller)
  const Value: ReplicationTokenRecord = { Token: call.body.Token }
  if (!TOKEN_FORM.test(Value.Token) || Value.Token === REDACTED_SECRET_ID) {
    throw new AclError('field_invalid', 'Token is not a secret', { field: 'Token' })
  }
  const { store } = call.service
  return decideAndCommit(store, () => {
    const value = Value.Token === '' ? undefined : Value
    return { changes: changeSystem(store, 'replication-token', value), answer: () => json(true) }
  })
}
