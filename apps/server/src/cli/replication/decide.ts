/** `latchkey-server replication status`, `accept` and `promote`. Decisions: promotion. */
import type { AcceptedCluster, PromotedDatacenter } from '@latchkey/contract'
import { complain, print } from '../print.ts'
import { type Environment, request } from '../server-address.ts'

export async function showReplication(env: Environment): Promise<number> {
  const status = await answerOf<object>('operations.replication', env)
  for (const [name, value] of Object.entries(status)) {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
    print(`${name}: ${text}\n`)
  }
  return 0
}

/** @param cluster id of the store whose records may replace the server's records. */
export async function acceptCluster(cluster: string, env: Environment): Promise<number> {
  const accepted = await answerOf<AcceptedCluster>('datacenters.accept', env, { Cluster: cluster })
  print(
    `Accepted: the records of ${accepted.PrimaryDatacenter} will replace those of this datacenter if its cluster is ${accepted.Accepted}.\n`,
  )
  return 0
}

/**
 * @param datacenter name of the server's datacenter, as a confirmation.
 * @param options.isForced promotes even if the primary still answers.
 */
export async function promoteDatacenter(
  datacenter: string,
  env: Environment,
  { isForced }: { readonly isForced: boolean },
): Promise<number> {
  const body = { Datacenter: datacenter, ...(isForced ? { Force: true } : {}) }
  const promoted = await answerOf<PromotedDatacenter>('datacenters.promote', env, body)
  const { Datacenter, Cluster, FollowedIndex, Skipped } = promoted
  print(
    `${Datacenter} is now the primary datacenter, with the records that the old primary had at index ${FollowedIndex}.
Before the next restart of its servers: set LATCHKEY_PRIMARY_DATACENTER=${Datacenter} and remove LATCHKEY_PRIMARY_URL.
In each other datacenter: set both for the new primary, restart, and run
  latchkey-server replication accept ${Cluster}
`,
  )
  for (const { AccessorID, Reason } of Skipped) {
    complain(`warning: the token ${AccessorID} is missing here: ${Reason}\n`)
  }
  return 0
}

async function answerOf<T>(
  endpoint: Parameters<typeof request>[0],
  env: Environment,
  body?: object,
): Promise<T> {
  const response = await request(endpoint, env, body && { body: JSON.stringify(body) })
  return (await response.json()) as T
}
