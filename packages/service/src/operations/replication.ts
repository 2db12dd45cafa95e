import type { ReplicationTokenRecord } from '@latchkey/acl'
import { AclError, formatInstant, REDACTED_SECRET_ID, ZERO_TIME } from '@latchkey/contract'
import { secretsSeen } from '../caller/authority.ts'
import { globalManagementMissing } from '../caller/caller.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { aclModeOf, type ReplicationState } from '../options.ts'
import { decideAndCommit } from '../store/commit.ts'
import { readerLag } from '../store/replicated.ts'
import { changeSystem } from '../store/system-changes.ts'

/** Zero values in the primary datacenter. */
export async function replicationHandler(
  call: Call<'operations.replication'>,
): Promise<Answer<'operations.replication'>> {
  const Readers = await readersOf(call)
  const state = await call.service.cluster.replication()
  return json({
    Enabled: state?.enabled ?? false,
    Running: state?.running ?? false,
    SourceDatacenter: state?.sourceDatacenter ?? '',
    ReplicationType: state?.type ?? '',
    ReplicatedIndex: state?.index ?? 0,
    ReplicatedRoleIndex: state?.index ?? 0,
    ReplicatedTokenIndex: state?.hasTokens ? state.index : 0,
    LastSuccess: state?.lastSuccess ?? ZERO_TIME,
    LastError: state?.lastError ?? ZERO_TIME,
    ...(state && call.service.profile.has('replication.detail') ? detailOf(state) : {}),
    ...(Readers.length > 0 ? { Readers } : {}),
    Mode: aclModeOf(call.directory),
  })
}

async function readersOf({ service, now }: Call<'operations.replication'>) {
  const { store } = service
  const readers = await store.changeReaders.list(now)
  return readers.map(({ name, index, contactAt }) => ({
    Name: name,
    Index: index,
    Lag: readerLag(index, store),
    LastContact: formatInstant(contactAt),
  }))
}

function detailOf(state: ReplicationState) {
  const { lastErrorMessage, cluster, primaryIndex, lagIndex, lagSeconds, skipped } = state
  return {
    ...(lastErrorMessage === '' ? {} : { LastErrorMessage: lastErrorMessage }),
    Cluster: cluster,
    PrimaryIndex: primaryIndex,
    LagIndex: lagIndex,
    ...(lagSeconds === undefined ? {} : { LagSeconds: lagSeconds }),
    State: state.state,
    Skipped: [...skipped],
  }
}

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
