/** Registers the servers in the catalog: each at its start, and the leader all others. */
import { MEMBER_FAILED_AFTER_MS, type Member } from '@latchkey/acl'
import { registerServers } from '@latchkey/service'
import type { Logger } from 'pino'
import type { ServerStore } from '../server-store.ts'

/** Maximum delay until a failed server is noticed, in addition to its silence. */
const LOOK_INTERVAL_MS = MEMBER_FAILED_AFTER_MS / 2

type Place = { readonly datacenter: string }

/** Registers this process. If the database is unreachable now, the leader does it later. */
export async function registerSelf(store: ServerStore, log: Logger): Promise<void> {
  try {
    await registerServers(store, [store.membership.self()])
  } catch (error) {
    log.warn({ err: error }, 'this server could not be registered in the catalog; trying again')
  }
}

export async function registerMembers(store: ServerStore, { datacenter }: Place): Promise<number> {
  await store.asLeader(async () => {
    const isHere = (member: Member) => member.datacenter === datacenter
    await registerServers(store, (await store.membership.members()).filter(isHere))
  })
  return LOOK_INTERVAL_MS
}
