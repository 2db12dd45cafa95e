/** Reads what a running cluster reports about itself. Every part is optional, as rights and versions differ. */
import { isBefore, readVersion, type ServiceVersion } from '@latchkey/contract'
import * as z from 'zod'
import { type HttpReader, UnreadError } from './http-reader.ts'
import type { Member, Replication, Scanned, ScannedDatacenter, Unread } from './scanned.ts'

const text = z.string().catch('')
const selfSchema = z.object({
  Config: z.record(z.string(), z.unknown()).catch({}),
  DebugConfig: z.record(z.string(), z.unknown()).catch({}),
})
const memberSchema = z.object({
  Name: z.string(),
  Addr: text,
  Port: z.number().catch(0),
  Tags: z.record(z.string(), z.string()).catch({}),
  Status: z.number().catch(0),
  /** Only Latchkey servers send it. */
  Datacenter: text,
})
const replicationSchema = z.object({
  Enabled: z.boolean(),
  Running: z.boolean().catch(false),
  SourceDatacenter: text,
  ReplicationType: text,
  LastSuccess: text,
  LastError: text,
})

/** Reads the parts of a cluster, and records the parts that failed. */
class Parts {
  readonly unread: Unread[] = []
  private readonly reader: HttpReader

  constructor(reader: HttpReader) {
    this.reader = reader
  }

  /** @returns undefined if the part cannot be read or has an unexpected shape. */
  async read<T>(what: string, path: string, schema: z.ZodType<T>): Promise<T | undefined> {
    try {
      const parsed = schema.safeParse(await this.reader.json(path))
      if (parsed.success) return parsed.data
      this.unread.push({ what, path, why: 'the answer has another form than expected' })
    } catch (error) {
      if (!(error instanceof UnreadError)) throw error
      // The server does not answer at all, so every further read would only time out.
      if (error.status === undefined) throw error
      this.unread.push({ what, path, why: error.message })
    }
    return undefined
  }
}

/** @throws UnreadError if the server does not answer at all. */
export async function readCluster(reader: HttpReader): Promise<Scanned> {
  const parts = new Parts(reader)
  const self = await parts.read('the agent itself', '/v1/agent/self', selfSchema)
  const config = { ...self?.DebugConfig, ...self?.Config }
  const datacenter = textOf(config.Datacenter)
  const lan = await parts.read('the members', '/v1/agent/members', z.array(memberSchema))
  const wan = await parts.read(
    'the servers of all datacenters',
    '/v1/agent/members?wan=1',
    z.array(memberSchema),
  )
  const listed = await parts.read('the datacenters', '/v1/catalog/datacenters', z.array(z.string()))
  const members = mergeMembers(readMembers(lan ?? [], datacenter), readMembers(wan ?? [], datacenter))
  const names = new Set([
    ...(datacenter === undefined ? [] : [datacenter]),
    ...(listed ?? []),
    ...members.map((each) => each.datacenter),
  ])
  const datacenters: ScannedDatacenter[] = []
  for (const name of names) {
    const query = name === datacenter || datacenter === undefined ? '' : `?dc=${encodeURIComponent(name)}`
    datacenters.push(await readDatacenter(name, query, members, parts))
  }
  const primary = primaryOf(config, datacenters)
  return {
    address: reader.name,
    agentVersion: versionOf(textOf(config.Version) ?? ''),
    datacenter,
    primary,
    defaultPolicy: policyOf(config),
    connect: typeof config.ConnectEnabled === 'boolean' ? config.ConnectEnabled : undefined,
    datacenters: [...datacenters].sort((a, b) => Number(b.name === primary) - Number(a.name === primary)),
    unread: parts.unread,
  }
}

async function readDatacenter(
  name: string,
  query: string,
  members: readonly Member[],
  parts: Parts,
): Promise<ScannedDatacenter> {
  const address = await parts.read(`the leader of ${name}`, `/v1/status/leader${query}`, z.string())
  const peers = await parts.read(`the peers of ${name}`, `/v1/status/peers${query}`, z.array(z.string()))
  const replication = await parts.read(
    `the replication of ${name}`,
    `/v1/acl/replication${query}`,
    replicationSchema,
  )
  const here = members.filter((each) => each.datacenter === name)
  const leader = here.find((each) => each.isServer && each.address === address)?.name
  // If the token may not see the members, at least the number of servers is known.
  const unknown = here.some((each) => each.isServer)
    ? []
    : (peers ?? []).map((peer) => hiddenServer(peer, name))
  return {
    name,
    members: [...here, ...unknown],
    leader: leader ?? (address === '' ? undefined : address),
    replication: replication === undefined ? undefined : readReplication(replication),
  }
}

function hiddenServer(address: string, datacenter: string): Member {
  return {
    name: address,
    datacenter,
    isServer: true,
    version: undefined,
    mode: 'unknown',
    status: 'alive',
    address,
  }
}

function readReplication(status: z.infer<typeof replicationSchema>): Replication {
  return {
    enabled: status.Enabled,
    running: status.Running,
    source: status.SourceDatacenter,
    type: status.ReplicationType,
    lastSuccess: status.LastSuccess,
    lastError: status.LastError,
  }
}

/** The ACL mode from the gossip tag, which exists from 1.4.0 on. */
const MODES: Readonly<Record<string, Member['mode']>> = { '0': 'off', '1': 'new', '2': 'legacy' }
const STATUSES: Readonly<Record<number, Member['status']>> = { 1: 'alive', 2: 'left', 3: 'left', 4: 'failed' }

function readMembers(list: readonly z.infer<typeof memberSchema>[], own: string | undefined): Member[] {
  return list.map(({ Name, Addr, Port, Tags, Status, Datacenter }) => {
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
  })
}

/** The datacenter's own list of its members takes precedence. */
function mergeMembers(lan: readonly Member[], wan: readonly Member[]): Member[] {
  const key = ({ datacenter, name }: Member) => `${datacenter}/${name}`
  return [...new Map([...wan, ...lan].map((member) => [key(member), member])).values()]
}

/** Builds have the form `1.8.7:3ebdb2b4` or `1.8.7+ent:…`. */
function versionOf(build: string): ServiceVersion | undefined {
  return readVersion(/^v?(\d+\.\d+(\.\d+)?)/.exec(build)?.[1] ?? '')
}

/** Names of a setting in the configuration: legacy service from 1.4.0, legacy service before it, and Latchkey. */
function primaryOf(
  config: Readonly<Record<string, unknown>>,
  all: readonly ScannedDatacenter[],
): string | undefined {
  const named =
    textOf(config.PrimaryDatacenter) ?? textOf(config.ACLDatacenter) ?? textOf(config.primaryDatacenter)
  if (named !== undefined && all.some(({ name }) => name === named)) return named
  const source = all.map(({ replication }) => replication?.source ?? '').find((each) => each !== '')
  return source ?? (all.length === 1 ? all[0]?.name : undefined)
}

function policyOf(config: Readonly<Record<string, unknown>>): 'allow' | 'deny' | undefined {
  const policy = config.ACLDefaultPolicy ?? config.defaultPolicy
  return policy === 'allow' || policy === 'deny' ? policy : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** The oldest version among the servers, where an upgrade starts; otherwise the version of the agent. */
export function oldestVersion({ datacenters, agentVersion }: Scanned): ServiceVersion | undefined {
  const versions = datacenters
    .flatMap(({ members }) => members.filter((each) => each.isServer && each.status === 'alive'))
    .flatMap(({ version }) => (version === undefined ? [] : [version]))
  return versions.reduce((a, b) => (a === undefined || isBefore(b, a) ? b : a), versions[0] ?? agentVersion)
}
