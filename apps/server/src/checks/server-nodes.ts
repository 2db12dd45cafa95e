/** Registers the servers in the catalog: each at its start, and the leader all others. */
import { MEMBER_FAILED_AFTER_MS, type Member } from '@latchkey/acl'
import { registerServers } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { ServerStore } from '../server-store.ts'

/** Maximum delay until a failed server is noticed, in addition to its silence. */
const LOOK_INTERVAL_MS = MEMBER_FAILED_AFTER_MS / 2

type Place = Pick<Config, 'datacenter' | 'headerPrefixes' | 'ownService'>

/** Registers this process. If the database is unreachable now, the leader does it later. */
export async function registerSelf(store: ServerStore, config: Place, log: Logger): Promise<void> {
  try {
    await registerServers({ store, ...config }, [store.membership.self()])
  } catch (error) {
    log.warn({ err: error }, 'this server could not be registered in the catalog; trying again')
  }
}

export async function registerMembers(store: ServerStore, config: Place): Promise<number> {
  await store.asLeader(async () => {
    const isHere = (member: Member) => member.datacenter === config.datacenter
    await registerServers({ store, ...config }, (await store.membership.members()).filter(isHere))
  })
  return LOOK_INTERVAL_MS
}
