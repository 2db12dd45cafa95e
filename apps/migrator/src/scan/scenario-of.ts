/** The scenario of a scanned cluster: its servers as they are, and a schedule to adjust. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { stringify } from 'yaml'
import { SERVERS_MAX, targetOf, uniqueNames } from '../plan/default-scenario.ts'
import type { Member, Scanned, ScannedDatacenter } from './read-cluster.ts'
import { oldestVersion } from './read-cluster.ts'

/** Time between two replacements, as a first proposal. */
const STEP_S = 60
const AGENTS_MAX = 50
const SERVERS_ASSUMED = 3
/** Default of the scenario, for a cluster that does not report its version. */
const VERSION_UNKNOWN = '1.3.1'

/** @returns YAML, for `simulate` and `plan` together with the dump of the same scan. */
export function scenarioOf(scanned: Scanned): string {
  const oldest = oldestVersion(scanned)
  const from = oldest?.text ?? VERSION_UNKNOWN
  const to = targetOf(oldest)
  const idOf = uniqueNames()
  const schedule = { at: 0, isMoving: from !== to }
  const input = {
    name: `${scanned.datacenters.map(({ name }) => name).join(', ')}, from ${from} to ${to}`,
    from,
    version: to,
    ...(scanned.defaultPolicy === undefined ? {} : { defaultPolicy: scanned.defaultPolicy }),
    ...(scanned.connect === undefined ? {} : { connect: scanned.connect }),
    datacenters: scanned.datacenters.map((each) => datacenterOf(each, { scanned, oldest, idOf, schedule })),
  }
  return `${HEADER}${assumptions(scanned, oldest)}${stringify(input)}`
}

/** Comments about facts that the scenario needs and the cluster did not report. */
function assumptions({ datacenters }: Scanned, oldest: ServiceVersion | undefined): string {
  const isHidden = ({ members }: ScannedDatacenter) => !members.some((each) => each.isServer)
  return [
    ...(oldest === undefined ? [`# No version could be read: ${VERSION_UNKNOWN} is assumed.\n`] : []),
    ...datacenters
      .filter(isHidden)
      .map(({ name }) => `# The servers of ${name} could not be read: ${SERVERS_ASSUMED} are assumed.\n`),
  ].join('')
}

const HEADER = `# Written by scan. The versions, modes and leaders are those of the running cluster.
# The times are a proposal, one server a minute: adjust "start" to your schedule, and "version" to your target.
`

interface Context {
  readonly scanned: Scanned
  readonly oldest: ServiceVersion | undefined
  readonly idOf: (name: string) => string
  readonly schedule: { at: number; readonly isMoving: boolean }
}

function datacenterOf(datacenter: ScannedDatacenter, context: Context): object {
  const { name, members, leader, replication } = datacenter
  const { scanned, idOf } = context
  const isPrimary = name === (scanned.primary ?? scanned.datacenters[0]?.name)
  const servers = members.filter((each) => each.isServer)
  // The leader is replaced last.
  const order = [
    ...servers.filter((each) => each.name !== leader),
    ...servers.filter((each) => each.name === leader),
  ]
  const agents = members.filter((each) => !each.isServer && each.status === 'alive')
  return {
    name: uniqueNames()(name),
    ...(isPrimary ? { primary: true } : {}),
    ...(isPrimary || replication === undefined ? {} : { tokenReplication: copiesTokens(replication) }),
    servers:
      order.length === 0
        ? SERVERS_ASSUMED
        : order.slice(0, SERVERS_MAX).map((each) => serverOf(each, each.name === leader, context)),
    ...(agents.length === 0
      ? {}
      : { agents: agents.slice(0, AGENTS_MAX).map((each) => ({ id: idOf(each.name) })) }),
  }
}

/** Legacy replication always copies tokens. */
function copiesTokens({ enabled, type }: { readonly enabled: boolean; readonly type: string }): boolean {
  return enabled && type !== 'policies'
}

function serverOf(member: Member, isLeader: boolean, { oldest, idOf, schedule }: Context): object {
  const { name, version, mode, status } = member
  const isNewer = version !== undefined && oldest !== undefined && isBefore(oldest, version)
  const start = schedule.at
  if (status === 'alive' && schedule.isMoving) schedule.at += STEP_S
  return {
    id: idOf(name),
    ...(isNewer ? { from: version.text } : {}),
    ...(status === 'alive' ? (schedule.isMoving ? { start } : {}) : { status }),
    ...(isLeader && status === 'alive' ? { leader: true } : {}),
    ...(mode === 'off' ? { acls: false } : {}),
  }
}
