/** The scenario of a scanned cluster: its servers as they are, and a schedule to adjust. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { stringify } from 'yaml'
import { SERVERS_MAX, targetOf, uniqueNames } from '../plan/default-scenario.ts'
import type { Member, Scanned, ScannedDatacenter } from './read-cluster.ts'
import { oldestVersion } from './read-cluster.ts'

const STEP_S = 60
const AGENTS_MAX = 50
const SERVERS_ASSUMED = 3
const VERSION_UNKNOWN = '1.3.1'

export function scenarioOf(scanned: Scanned): string {
  const { defaultPolicy, connect, datacenters } = scanned
  const oldest = oldestVersion(scanned)
  const from = oldest?.text ?? VERSION_UNKNOWN
  const to = targetOf(oldest)
  const isMoving = from !== to
  const idOf = uniqueNames()
  let nextStart = 0
  const serverOf = ({ name, version, mode, status }: Member, leader: string | undefined) => {
    const isAlive = status === 'alive'
    const isNewer = version !== undefined && oldest !== undefined && isBefore(oldest, version)
    const start = nextStart
    if (isAlive && isMoving) nextStart += STEP_S
    return {
      id: idOf(name),
      ...(isNewer ? { from: version.text } : {}),
      ...(!isAlive ? { status } : isMoving ? { start } : {}),
      ...(name === leader && isAlive ? { leader: true } : {}),
      ...(mode === 'off' ? { acls: false } : {}),
    }
  }
  const datacenterOf = ({ name, members, leader, replication }: ScannedDatacenter) => {
    const isPrimary = name === (scanned.primary ?? datacenters[0]?.name)
    // The leader is replaced last.
    const servers = members
      .filter((each) => each.isServer)
      .sort((a, b) => Number(a.name === leader) - Number(b.name === leader))
    const agents = members.filter((each) => !each.isServer && each.status === 'alive')
    // Legacy replication always copies tokens.
    const tokenReplication = replication?.enabled === true && replication.type !== 'policies'
    return {
      name: uniqueNames()(name),
      ...(isPrimary ? { primary: true } : {}),
      ...(isPrimary || replication === undefined ? {} : { tokenReplication }),
      servers:
        servers.length === 0
          ? SERVERS_ASSUMED
          : servers.slice(0, SERVERS_MAX).map((each) => serverOf(each, leader)),
      ...(agents.length === 0
        ? {}
        : { agents: agents.slice(0, AGENTS_MAX).map((each) => ({ id: idOf(each.name) })) }),
    }
  }
  const input = {
    name: `${datacenters.map(({ name }) => name).join(', ')}, from ${from} to ${to}`,
    from,
    version: to,
    ...(defaultPolicy === undefined ? {} : { defaultPolicy }),
    ...(connect === undefined ? {} : { connect }),
    datacenters: datacenters.map(datacenterOf),
  }
  return `${HEADER}${assumptions(scanned, oldest)}${stringify(input)}`
}

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
