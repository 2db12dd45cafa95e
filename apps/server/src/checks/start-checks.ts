/**
 * The checks of the server's node: one process of the node runs them, and takes over deadlines that no process tracks.
 */
import type { Member } from '@latchkey/acl'
import type { CheckRecord } from '@latchkey/catalog'
import type { LocalChecks, Store } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import { type Job, startJob } from '../jobs/job.ts'
import { Outgoing } from '../outgoing/outgoing.ts'
import { CheckRunner } from './check-runner.ts'

/** The store, and the processes that share it. */
type CheckStore = Store & {
  readonly membership: {
    readonly memberId: string
    members(): Promise<readonly Pick<Member, 'id' | 'node' | 'status'>[]>
  }
}

interface ChecksOptions {
  readonly store: CheckStore
  readonly config: Pick<Config, 'nodeName' | 'checkHosts'>
  readonly localChecks: LocalChecks
  readonly log: Logger
}

/** Maximum time until a change of the node's members is noticed. */
const MEMBERS_MS = 2_000
/** Maximum time until a changed check is noticed. Polled: waiters in the store count as blocking queries. */
const LOOK_MS = 100
const REMOVE_INTERVAL_MS = 30_000
/** The entry of the hosts of checks that allows public addresses alone. */
const PUBLIC = 'public'

export function startChecks({ store, config, localChecks, log }: ChecksOptions): Job {
  const { nodeName, checkHosts } = config
  const hosts = checkHosts.filter((host) => host !== PUBLIC)
  const outgoing = new Outgoing({ allowHttp: true, hosts, publicOnly: checkHosts.includes(PUBLIC) })
  const runner = new CheckRunner({ store, nodeName, localChecks, outgoing, log })
  const ownChecks = () => store.catalog().checksOn(nodeName)
  let isRunner = false
  let removedAt = 0
  let seenIndex: number | undefined
  let seenAt = 0
  const look = startJob('checks', log, async () => {
    const index = store.tableIndex('checks')
    if (index === seenIndex && performance.now() - seenAt < MEMBERS_MS) return LOOK_MS
    const alive = await processesOf(store, nodeName)
    isRunner = alive[0] === store.membership.memberId
    const checks = ownChecks()
    if (isRunner) runner.update(checks)
    else runner.stop()
    holdDeadlines(checks, { localChecks, alive, isRunner })
    const now = performance.now()
    if (isRunner && now - removedAt >= REMOVE_INTERVAL_MS) {
      removedAt = now
      await runner.removeCritical(checks, now)
    }
    seenIndex = index
    seenAt = now
    return LOOK_MS
  })
  return {
    stop: async () => {
      await look.stop()
      runner.stop()
      localChecks.stop()
    },
  }
}

async function processesOf(store: CheckStore, nodeName: string): Promise<readonly string[]> {
  const members = await store.membership.members()
  return members
    .filter(({ node, status }) => node === nodeName && status === 'alive')
    .map(({ id }) => id)
    .sort()
}

/**
 * A process tracks the deadlines of checks whose last report it received. The deadlines of dead processes start over in
 * one of the others.
 */
function holdDeadlines(
  checks: readonly CheckRecord[],
  by: { readonly localChecks: LocalChecks; readonly alive: readonly string[]; readonly isRunner: boolean },
): void {
  const { localChecks, alive, isRunner } = by
  const held: string[] = []
  for (const { CheckID, Status, Agent } of checks) {
    if (!Agent) continue
    const isOwn = Agent.process === localChecks.process
    if (Agent.run.type !== 'ttl') {
      if (isRunner) held.push(CheckID)
      continue
    }
    if (!isOwn && (alive.includes(Agent.process) || !isRunner)) continue
    held.push(CheckID)
    if (Status !== 'critical' && !localChecks.has(CheckID))
      localChecks.renew(CheckID, Agent.run.ttlMs, Agent.process)
  }
  localChecks.keepOnly(held)
}
