/** `status`: the server, its peers, replication and upgrade at a glance. */
import { type Client, PermissionDenied } from '@latchkey/sdk'
import type { Action } from '../frame/command-spec.ts'
import { durationText } from '../records/time-text.ts'

/** Omits the parts that the token may not see. */
async function ifAllowed<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read
  } catch (error) {
    if (error instanceof PermissionDenied) return undefined
    throw error
  }
}

async function readStatus({ status, agent }: Client) {
  const [Leader, Peers, Datacenters, Replication, Migration, self] = await Promise.all([
    status.leader(),
    status.peers(),
    status.datacenters(),
    status.replication(),
    ifAllowed(status.migration()),
    ifAllowed(agent.self()),
  ])
  return { Leader, Peers, Datacenters, Replication, Migration, Member: self?.Member, Stats: self?.Stats }
}

type Status = Awaited<ReturnType<typeof readStatus>>

function migrationText({ Migration }: Status): string {
  if (Migration === undefined) return ''
  const { State, Done, Total, EstimatedSeconds } = Migration
  if (State === 'done') return 'done'
  return `${State}: ${Done} of ${Total} tokens, about ${durationText(EstimatedSeconds * 1_000)} left`
}

function replicationText({ Replication }: Status): string {
  if (!Replication.Enabled) return 'none: this is the primary, or the only datacenter'
  const { SourceDatacenter, ReplicatedIndex, LastErrorMessage } = Replication
  const trouble = LastErrorMessage ? `; last error: ${LastErrorMessage}` : ''
  return `from ${SourceDatacenter}, at index ${ReplicatedIndex}${trouble}`
}

export const status: Action = async (session) => {
  const { address } = await session.connection()
  const found = await readStatus(await session.client())
  await session.out.record(found, [
    ['Server', () => address],
    ['Version', ({ Stats }) => Stats?.latchkey?.version ?? ''],
    ['Service version', ({ Member }) => Member?.Version ?? ''],
    'Leader',
    ['Servers', ({ Peers }) => Peers.join(', ')],
    ['Datacenters', ({ Datacenters }) => Datacenters.join(', ')],
    ['Replication', replicationText],
    ['Accessor migration', migrationText],
  ])
  if (found.Member === undefined)
    await session.note('To show versions, the token needs agent:read; to show the migration, acl:read.')
}
