import { formatInstant, ZERO_TIME } from '@latchkey/contract'
import { aclModeOf } from '../caller/acl-mode.ts'
import { type Answer, type Call, json } from '../handler.ts'
import { readerLag } from '../store/replicated.ts'

/** Zero values in the primary datacenter. */
export async function replicationHandler(
  call: Call<'operations.replication'>,
): Promise<Answer<'operations.replication'>> {
  const Readers = await readersOf(call)
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
