import { ZERO_TIME } from '@latchkey/contract'
import { aclModeOf } from '../caller/acl-mode.ts'
import { type Answer, type Call, json } from '../handler.ts'

/** Zero values in the primary datacenter. */
export function replicationHandler(call: Call<'operations.replication'>): Answer<'operations.replication'> {
  const state = call.service.cluster.replication()
  return json({
    Enabled: state?.enabled ?? false,
    Running: state?.running ?? false,
    SourceDatacenter: state?.sourceDatacenter ?? '',
    ReplicationType: state?.type ?? '',
    ReplicatedIndex: state?.index ?? 0,
    ReplicatedRoleIndex: state?.index ?? 0,
    ReplicatedTokenIndex: state?.index ?? 0,
    LastSuccess: state?.lastSuccess ?? ZERO_TIME,
    LastError: state?.lastError ?? ZERO_TIME,
    ...(state?.lastErrorMessage ? { LastErrorMessage: state.lastErrorMessage } : {}),
    Mode: aclModeOf(call.directory),
  })
}
