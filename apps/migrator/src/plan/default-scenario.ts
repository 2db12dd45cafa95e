/** The default scenario of a plan: the known facts of the cluster, and the next version to stop at. */
import { isBefore, type ServiceVersion } from '@latchkey/contract'
import { stringify } from 'yaml'
import type { ArchiveContents } from '../archive/read-archive.ts'
import { readScenario } from '../scenario/read.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { isAtLeast, LEGACY_REMOVED, NEW_ACLS } from '../version.ts'

export interface KnownCluster {
  /** Its oldest version; undefined before 1.4.0. */
  readonly version: ServiceVersion | undefined
  readonly servers: ReadonlyMap<string, readonly string[]>
}

export const SERVERS_MAX = 100
const NAME_LENGTH_MAX = 64

export function uniqueNames(): (name: string) => string {
  const used = new Set<string>()
  return (name) => {
    const plain = name.replaceAll(/[^A-Za-z0-9._-]/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'unnamed'
    for (let i = 1; ; i++) {
      const suffix = i === 1 ? '' : `-${i}`
      const unique = `${plain.slice(0, NAME_LENGTH_MAX - suffix.length)}${suffix}`
      if (!used.has(unique)) {
        used.add(unique)
        return unique
      }
    }
  }
}

/** The known cluster, or one datacenter before 1.4.0. Without a target, to the next version that matters. */
export function defaultScenario(cluster: KnownCluster | undefined, target?: ServiceVersion): Scenario {
  const from = cluster?.version?.text ?? '1.3.1'
  const to = target?.text ?? targetOf(cluster?.version)
  const schedule = target === undefined ? ', without a schedule' : ''
  const name = uniqueNames()
  const known = [...(cluster?.servers ?? [])].filter(([, names]) => names.length > 0)
  const input = {
    name: `${from === to ? `at ${from}` : `from ${from} to ${to}`}${schedule}`,
    from,
    version: to,
    datacenters:
      known.length === 0
        ? [{ name: 'dc1', servers: 3 }]
        : known.map(([datacenter, names]) => ({
            name: name(datacenter || 'dc1'),
            servers: names.slice(0, SERVERS_MAX).map((each) => ({ id: name(each) })),
          })),
  }
  return readScenario(stringify(input), 'the default scenario')
}

/** The next version that changes tokens: the first with the new ACL system, then the first without the legacy system. */
export function targetOf(version: ServiceVersion | undefined): string {
  if (version === undefined || isBefore(version, NEW_ACLS)) return NEW_ACLS.text
  return isBefore(version, LEGACY_REMOVED) ? LEGACY_REMOVED.text : version.text
}

/** The cluster of a snapshot archive. If no server registered its version, the token format implies a minimum. */
export function clusterOf({ servers, newRecords, legacyRecords }: ArchiveContents): KnownCluster {
  const versions = [...servers.values()].flatMap(({ version }) => (version === undefined ? [] : [version]))
  const oldest = versions.reduce<ServiceVersion | undefined>(
    (least, each) => (least !== undefined && isAtLeast(each, least) ? least : each),
    undefined,
  )
  const byDatacenter = new Map<string, string[]>()
  for (const { name, datacenter } of servers.values()) {
    byDatacenter.set(datacenter, [...(byDatacenter.get(datacenter) ?? []), name])
  }
  return {
    version: oldest ?? (newRecords > 0 && legacyRecords === 0 ? NEW_ACLS : undefined),
    servers: byDatacenter,
  }
}
