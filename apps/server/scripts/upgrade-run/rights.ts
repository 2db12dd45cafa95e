/** What each secret may do, asked over HTTP of the key-value store, which every version has. */
import type { Cluster } from './cluster.ts'
import { KEYS } from './dump.ts'

const CALLERS = 24
/** A condition that never holds: whoever may write is answered `false`, and nothing is written. */
const NEVER = 'cas=1'

/** Statuses of all questions, by secret. */
export async function askRights(
  cluster: Cluster,
  secrets: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const rights = new Map<string, string>()
  const waiting = secrets.values()
  const callers = Array.from({ length: CALLERS }, async () => {
    for (const secret of waiting) rights.set(secret, await rightsOf(cluster, secret))
  })
  await Promise.all(callers)
  return rights
}

async function rightsOf(cluster: Cluster, token: string): Promise<string> {
  const statuses: (number | undefined)[] = []
  for (const key of KEYS) {
    statuses.push((await cluster.ask('GET', `/kv/${key}`, { token }))?.status)
    statuses.push((await cluster.ask('PUT', `/kv/${key}?${NEVER}`, { token, body: 'x' }))?.status)
  }
  return statuses.join(' ')
}
