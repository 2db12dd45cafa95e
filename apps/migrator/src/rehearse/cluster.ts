/** One datacenter of a rehearsal: its own database, and the servers of the scenario. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServiceVersion } from '@latchkey/contract'
import { type Client, createClient } from '@latchkey/sdk'
import { EXIT, InputError } from '../errors.ts'
import { isAtLeast, NEW_ACLS } from '../version.ts'
import { type LogLine, type ServerProcess, startProcess } from './server-process.ts'

interface ClusterOptions {
  /** The main file of the server. */
  readonly main: string
  readonly datacenter: string
  readonly defaultPolicy: 'allow' | 'deny'
  readonly managementSecret: string
  /** Called if the database ends before the rehearsal does. */
  readonly onLost?: (problem: InputError) => void
}

type MigrationStatus = Awaited<ReturnType<Client['status']['migration']>>

export interface ServerStart {
  readonly version: ServiceVersion
  readonly acls: boolean
}

export interface RunningServer extends ServerStart {
  readonly id: string
  readonly url: string
  readonly isPaused: boolean
}

/** The message of a server that refuses to start on this data. */
const REFUSAL = /version \S+ (does not start|cannot start)[^\n]*/

export class Cluster {
  readonly datacenter: string
  readonly managementSecret: string
  readonly log: LogLine[] = []
  lastStarted: ServerStart | undefined
  private readonly options: ClusterOptions
  private readonly keys = `rehearsal:${randomBytes(32).toString('base64')}`
  private readonly servers = new Map<string, RunningServer & { isPaused: boolean; process: ServerProcess }>()
  private readonly urls = new Map<string, string>()
  /** Starts that are not finished. */
  private readonly starting = new Set<Promise<unknown>>()
  private database: ServerProcess | undefined
  private directory: string | undefined
  private databaseUrl = ''
  private settings: Readonly<Record<string, string>> = {}

  constructor(options: ClusterOptions) {
    this.options = options
    this.datacenter = options.datacenter
    this.managementSecret = options.managementSecret
  }

  /** Starts a database of its own, whatever DATABASE_URL says. @param settings shared by all servers. */
  async open(settings: Readonly<Record<string, string>> = {}): Promise<void> {
    this.settings = settings
    this.directory = await mkdtemp(join(tmpdir(), 'latchkey-rehearsal-'))
    const dataDir = join(this.directory, 'database')
    this.database = await startProcess({
      main: this.options.main,
      directory: this.directory,
      args: ['postgres'],
      env: { LATCHKEY_DATA_DIR: dataDir },
      ready: /PostgreSQL runs in (.+)/,
      name: 'database',
      onLog: () => undefined,
    })
    const { database } = this
    void database.ended.then((how) => {
      if (this.database !== database) return
      const problem = `the database of ${this.datacenter} ended during the rehearsal (${how}): run it again`
      this.options.onLost?.(new InputError(problem, { exitCode: EXIT.failed }))
    })
    this.databaseUrl = (await readFile(join(dataDir, 'postgres.url'), 'utf8')).trim()
  }

  /** @returns why the server refuses to start on this data; undefined if it runs. */
  async start(id: string, options: ServerStart): Promise<string | undefined> {
    const starting = this.startServer(id, options)
    this.starting.add(starting)
    return starting.finally(() => this.starting.delete(starting))
  }

  private async startServer(id: string, { version, acls }: ServerStart): Promise<string | undefined> {
    const isCopy = this.settings.LATCHKEY_PRIMARY_URL !== undefined && isAtLeast(version, NEW_ACLS)
    const directory = this.directory ?? tmpdir()
    const starting = startProcess({
      main: this.options.main,
      directory,
      env: {
        PORT: '0',
        DATABASE_URL: this.databaseUrl,
        LATCHKEY_DATA_DIR: join(directory, id),
        LATCHKEY_SERVICE_VERSION: version.text,
        LATCHKEY_DATACENTER: this.options.datacenter,
        LATCHKEY_NODE_NAME: id,
        LATCHKEY_ACL_ENABLED: acls ? 'on' : 'off',
        LATCHKEY_DEFAULT_POLICY: this.options.defaultPolicy,
        // A secondary with the new ACLs gets this token from the primary.
        ...(isCopy ? {} : { LATCHKEY_INITIAL_MANAGEMENT_TOKEN: this.managementSecret }),
        LATCHKEY_ENCRYPTION_KEYS: this.keys,
        LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
        // Schedules address single processes.
        LATCHKEY_WORKERS: '1',
        ...this.settings,
      },
      ready: /listens on (\S+)/,
      name: id,
      onLog: (line) => this.log.push(line),
    })
    const started = await starting.catch((error: unknown) => {
      const refusal = error instanceof InputError ? REFUSAL.exec(error.message)?.[0] : undefined
      if (refusal === undefined) throw error
      return refusal
    })
    if (typeof started === 'string') return started
    this.servers.set(id, { id, url: started.url, version, acls, isPaused: false, process: started })
    this.urls.set(id, started.url)
    this.lastStarted = { version, acls: true }
    return undefined
  }

  /** Ends a server: `SIGTERM` stops it, `SIGQUIT` makes it leave the cluster, and `SIGKILL` crashes it. */
  async end(id: string, signal: 'SIGTERM' | 'SIGQUIT' | 'SIGKILL'): Promise<void> {
    const server = this.servers.get(id)
    this.servers.delete(id)
    await server?.process.stop(signal)
  }

  setPaused(id: string, isPaused: boolean): void {
    const server = this.servers.get(id)
    if (server === undefined) return
    server.isPaused = isPaused
    server.process.signal(isPaused ? 'SIGSTOP' : 'SIGCONT')
  }

  running(): readonly RunningServer[] {
    return [...this.servers.values()]
  }

  /** Servers that answer ACL calls. */
  answering(): readonly RunningServer[] {
    return this.running().filter(({ acls, isPaused }) => acls && !isPaused)
  }

  /** The URL of a server, also after it has ended. */
  urlOf(id: string): string {
    return this.urls.get(id) ?? ''
  }

  client(secret: string, url = this.answering()[0]?.url): Client {
    if (url === undefined) throw new Error('no server of the rehearsal runs')
    return createClient({ address: url, token: secret, env: false, timeout: 60_000 })
  }

  /** The progress of the migration in this datacenter; undefined while no server answers. */
  async migration(): Promise<MigrationStatus | undefined> {
    const server = this.answering().find(({ version }) => isAtLeast(version, NEW_ACLS))
    if (server === undefined) return undefined
    return this.client(this.managementSecret, server.url)
      .status.migration({ retries: 0 })
      .catch(() => undefined)
  }

  /** Ends every process and removes its files. Safe to call twice. */
  async close(): Promise<void> {
    // A server that is still starting would make its directory again.
    await Promise.allSettled(this.starting)
    await Promise.all([...this.servers.keys()].map((id) => this.end(id, 'SIGTERM')))
    const { database } = this
    this.database = undefined
    await database?.stop('SIGTERM')
    if (this.directory !== undefined) await rm(this.directory, { recursive: true, force: true })
    this.directory = undefined
  }
}
