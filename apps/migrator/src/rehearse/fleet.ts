/** The clusters of a rehearsal, one for each datacenter, and the links from the secondaries to the primary. */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { InputError } from '../errors.ts'
import type { DatacenterSpec, Scenario } from '../scenario/scenario.ts'
import { Cluster, type RunningServer } from './cluster.ts'
import type { LogLine } from './server-process.ts'

interface FleetOptions {
  readonly main: string
  readonly onLost: (problem: InputError) => void
  readonly replicationSecret: (datacenter: DatacenterSpec) => string | undefined
}

export class Fleet {
  readonly managementSecret = randomUUID()
  readonly clusters: readonly Cluster[]
  readonly primary: Cluster
  private readonly options: FleetOptions
  private readonly homes = new Map<string, Cluster>()
  private readonly specs: readonly DatacenterSpec[]
  private readonly links = new Map<string, Link>()

  constructor({ datacenters, defaultPolicy }: Scenario, options: FleetOptions) {
    this.options = options
    this.specs = datacenters
    this.clusters = datacenters.map(({ name, servers }) => {
      const cluster = new Cluster({
        main: options.main,
        datacenter: name,
        defaultPolicy,
        managementSecret: this.managementSecret,
        onLost: options.onLost,
      })
      for (const { id } of servers) this.homes.set(id, cluster)
      return cluster
    })
    const [primary] = this.clusters
    if (primary === undefined) throw new TypeError('a scenario has a datacenter')
    this.primary = primary
  }

  get secondaries(): readonly Cluster[] {
    return this.clusters.slice(1)
  }

  async open(): Promise<void> {
    await Promise.all(
      this.specs.map(async (spec, i) => {
        const cluster = this.clusters[i]
        if (cluster === undefined) return
        if (cluster === this.primary) return cluster.open()
        const link = new Link(() => this.primary.running().filter(({ isPaused }) => !isPaused))
        this.links.set(spec.name, link)
        const secret = this.options.replicationSecret(spec)
        await cluster.open({
          LATCHKEY_PRIMARY_DATACENTER: this.primary.datacenter,
          LATCHKEY_PRIMARY_URL: await link.open(),
          ...(secret === undefined ? {} : { LATCHKEY_REPLICATION_TOKEN: secret }),
        })
      }),
    )
  }

  get log(): readonly LogLine[] {
    return this.clusters.flatMap(({ log }) => log)
  }

  of(server: string): Cluster {
    const cluster = this.homes.get(server)
    if (cluster === undefined) throw new TypeError(`the scenario let the unknown server ${server} through`)
    return cluster
  }

  running(): readonly RunningServer[] {
    return this.clusters.flatMap((cluster) => cluster.running())
  }

  changeLink(between: readonly [string, string], kind: 'partition' | 'heal'): void {
    if (!between.includes(this.primary.datacenter)) return
    for (const name of between) {
      if (kind === 'partition') this.links.get(name)?.cut()
      else this.links.get(name)?.heal()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.links.values()].map((link) => link.close()))
    await Promise.all(this.clusters.map((cluster) => cluster.close()))
  }
}

/** Forwards each connection to a running server of the primary, and refuses all while it is cut. */
export class Link {
  private readonly upstreams: () => readonly RunningServer[]
  private readonly listener = createServer((socket) => this.join(socket))
  private readonly sockets = new Set<Socket>()
  private isCut = false

  constructor(upstreams: () => readonly RunningServer[]) {
    this.upstreams = upstreams
  }

  async open(): Promise<string> {
    this.listener.listen(0, '127.0.0.1')
    await once(this.listener, 'listening')
    return `http://127.0.0.1:${(this.listener.address() as AddressInfo).port}`
  }

  cut(): void {
    this.isCut = true
    for (const socket of this.sockets) socket.destroy()
  }

  heal(): void {
    this.isCut = false
  }

  async close(): Promise<void> {
    if (!this.listener.listening) return
    this.cut()
    this.listener.close()
    await once(this.listener, 'close')
  }

  private join(client: Socket): void {
    const [server] = this.upstreams()
    if (this.isCut || server === undefined) {
      client.destroy()
      return
    }
    const { hostname, port } = new URL(server.url)
    const upstream = connect(Number(port), hostname)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        this.sockets.delete(socket)
        other.destroy()
      })
      socket.pipe(other)
    }
  }
}
