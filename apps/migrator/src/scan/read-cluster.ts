/** Reads what a running cluster reports about itself. Every part is optional, as rights and versions differ. */
import { isBefore, readVersion, type ServiceVersion } from '@latchkey/contract'
import * as z from 'zod'
import { type HttpReader, isRefusal } from './http-reader.ts'

export interface Member {
  readonly name: string
  readonly datacenter: string
  readonly isServer: boolean
  readonly version: ServiceVersion | undefined
  /** The mode that it gossips; `unknown` without a tag, as before 1.4.0. */
  readonly mode: 'off' | 'new' | 'legacy' | 'unknown'
  readonly status: 'alive' | 'failed' | 'left'
  /** Host and port for traffic between servers, by which the leader is identified. */
  readonly address: string
}

export type ScannedDatacenter = Scanned['datacenters'][number]

export interface Unread {
  readonly what: string
  readonly path: string
  readonly why: string
}

export type Scanned = Awaited<ReturnType<typeof readCluster>>

const text = z.string().catch('')
const selfSchema = z.object({
  Config: z.record(z.string(), z.unknown()).catch({}),
  DebugConfig: z.record(z.string(), z.unknown()).catch({}),
})
export const memberSchema = z.object({
  Name: z.string(),
  Addr: text,
  Port: z.number().catch(0),
  Tags: z.record(z.string(), z.string()).catch({}),
  Status: z.number().catch(0),
  /** Only Latchkey servers send it. */
  Datacenter: text,
})
const replicationSchema = z
  .object({
    Enabled: z.boolean(),
    Running: z.boolean().catch(false),
    SourceDatacenter: text,
    ReplicationType: text,
    LastSuccess: text,
    LastError: text,
  })
  .transform((status) => ({
    enabled: status.Enabled,
    running: status.Running,
    source: status.SourceDatacenter,
    type: status.ReplicationType,
    lastSuccess: status.LastSuccess,
    lastError: status.LastError,
  }))
export type Replication = z.infer<typeof replicationSchema>

export async function readCluster(reader: HttpReader) {
  const unread: Unread[] = []
  const read = async <T>(what: string, path: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    try {
      return await reader.json(path, schema)
    } catch (error) {
      if (!isRefusal(error)) throw error
      unread.push({ what, path, why: error.message })
      return undefined
    }
  }
  const self = await read('the agent itself', '/v1/agent/self', selfSchema)
  const config = { ...self?.DebugConfig, ...self?.Config }
  const datacenter = textOf(config.Datacenter)
  const lists = z.array(memberSchema)
  const lan = await read('the members', '/v1/agent/members', lists)
  const wan = await read('the servers of all datacenters', '/v1/agent/members?wan=1', lists)
  const listed = await read('the datacenters', '/v1/catalog/datacenters', z.array(z.string()))
  // The datacenter's own list of its members takes precedence.
  const all = [...(wan ?? []), ...(lan ?? [])].map((each) => memberOf(each, datacenter))
  const members = [...new Map(all.map((each) => [`${each.datacenter}/${each.name}`, each])).values()]
  const names = new Set([
    ...(datacenter === undefined ? [] : [datacenter]),
    ...(listed ?? []),
    ...members.map((each) => each.datacenter),
  ])
  const datacenters = []
  for (const name of names) {
    const query = name === datacenter || datacenter === undefined ? '' : `?dc=${encodeURIComponent(name)}`
    const address = await read(`the leader of ${name}`, `/v1/status/leader${query}`, z.string())
    const peers = await read(`the peers of ${name}`, `/v1/status/peers${query}`, z.array(z.string()))
    const replication = await read(
      `the replication of ${name}`,
      `/v1/acl/replication${query}`,
      replicationSchema,
    )
    const here = members.filter((each) => each.datacenter === name)
    const leader = here.find((each) => each.isServer && each.address === address)?.name
    // If the token may not see the members, at least the number of servers is known.
    const hidden = here.some((each) => each.isServer) ? [] : (peers ?? [])
    datacenters.push({
      name,
      members: [...here, ...hidden.map((peer) => hiddenServer(peer, name))],
      leader: leader ?? (address === '' ? undefined : address),
      replication,
    })
  }
  const primary = primaryOf(config, datacenters)
  const policy = config.ACLDefaultPolicy ?? config.defaultPolicy
  return {
    address: reader.name,
    agentVersion: versionOf(textOf(config.Version) ?? ''),
    datacenter,
    primary,
    defaultPolicy: policy === 'allow' || policy === 'deny' ? (policy as 'allow' | 'deny') : undefined,
    connect: typeof config.ConnectEnabled === 'boolean' ? config.ConnectEnabled : undefined,
    datacenters: datacenters.sort((a, b) => Number(b.name === primary) - Number(a.name === primary)),
    unread,
  }
}

function hiddenServer(address: string, datacenter: string): Member {
  const unknown = { version: undefined, mode: 'unknown', status: 'alive' } as const
  return { name: address, datacenter, isServer: true, ...unknown, address }
}

/** The ACL mode from the gossip tag, which exists from 1.4.0 on. */
const MODES: Readonly<Record<string, Member['mode']>> = { '0': 'off', '1': 'new', '2': 'legacy' }
/** A member that is leaving still counts. */
const STATUSES: Readonly<Record<number, Member['status']>> = {
  1: 'alive',
  2: 'alive',
  3: 'left',
  4: 'failed',
}

export function memberOf(
  { Name, Addr, Port, Tags, Status, Datacenter }: z.infer<typeof memberSchema>,
  own?: string,
): Member {
  const datacenter = Datacenter || Tags.dc || own || 'dc1'
  return {
    // In the list of all datacenters, a server is named `node.datacenter`.
    name: Name.endsWith(`.${datacenter}`) ? Name.slice(0, -datacenter.length - 1) : Name,
    datacenter,
    isServer: Tags.role === 'consul' || Tags.role === 'server',
    version: versionOf(Tags.build ?? ''),
    mode: MODES[Tags.acls ?? ''] ?? 'unknown',
    status: STATUSES[Status] ?? 'failed',
    address: `${Addr}:${Tags.port ?? Port}`,
  }
}

/** Builds have the form `1.8.7:3ebdb2b4` or `1.8.7+ent:…`. */
function versionOf(build: string): ServiceVersion | undefined {
  return readVersion(/^v?(\d+\.\d+(\.\d+)?)/.exec(build)?.[1] ?? '')
}

/** Names of a setting in the configuration: legacy service from 1.4.0, legacy service before it, and Latchkey. */
function primaryOf(
  config: Readonly<Record<string, unknown>>,
  all: readonly { readonly name: string; readonly replication: Replication | undefined }[],
): string | undefined {
  const named =
    textOf(config.PrimaryDatacenter) ?? textOf(config.ACLDatacenter) ?? textOf(config.primaryDatacenter)
  if (named !== undefined && all.some(({ name }) => name === named)) return named
  const source = all.map(({ replication }) => replication?.source ?? '').find((each) => each !== '')
  return source ?? (all.length === 1 ? all[0]?.name : undefined)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function oldestVersion({ datacenters, agentVersion }: Scanned): ServiceVersion | undefined {
  const versions = datacenters
    .flatMap(({ members }) => members.filter((each) => each.isServer && each.status === 'alive'))
    .flatMap(({ version }) => (version === undefined ? [] : [version]))
  return versions.reduce((a, b) => (a === undefined || isBefore(b, a) ? b : a), versions[0] ?? agentVersion)
}
