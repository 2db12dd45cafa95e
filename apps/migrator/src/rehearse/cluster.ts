/** The cluster of a rehearsal: a database of its own and the servers of the scenario on it. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, createClient } from '@latchkey/sdk'
import type { ServerSpec } from '../scenario/scenario.ts'
import { type LogLine, type ServerProcess, startProcess } from './server-process.ts'

export interface ClusterOptions {
  /** Path of the server's main file. */
  readonly main: string
  readonly datacenter: string
  readonly defaultPolicy: 'allow' | 'deny'
  /** Undefined: an embedded PostgreSQL in a temporary directory. */
  readonly databaseUrl: string | undefined
}

export class Cluster {
  /** The secret of the management token that the first server makes. */
  readonly managementSecret = randomUUID()
  readonly log: LogLine[] = []
  private readonly options: ClusterOptions
  private readonly keys = `rehearsal:${randomBytes(32).toString('base64')}`
  private readonly servers = new Map<string, ServerProcess>()
  private readonly paused = new Set<string>()
  private database: ServerProcess | undefined
  private directory: string | undefined
  private databaseUrl = ''

  constructor(options: ClusterOptions) {
    this.options = options
  }

  /** Starts the database. */
  async open(): Promise<void> {
    this.directory = await mkdtemp(join(tmpdir(), 'latchkey-rehearsal-'))
    if (this.options.databaseUrl !== undefined) {
      this.databaseUrl = this.options.databaseUrl
      return
    }
    const dataDir = join(this.directory, 'database')
    this.database = await startProcess({
      main: this.options.main,
      args: ['postgres'],
      env: { LATCHKEY_DATA_DIR: dataDir },
      ready: /PostgreSQL runs in (.+)/,
      name: 'database',
      onLog: () => undefined,
    })
    this.databaseUrl = (await readFile(join(dataDir, 'postgres.url'), 'utf8')).trim()
  }

  /** Starts a server of the scenario with a version. Does nothing if it runs. */
  async start({ id, acls }: Pick<ServerSpec, 'id' | 'acls'>, version: string): Promise<void> {
    if (this.servers.has(id)) return
    const server = await startProcess({
      main: this.options.main,
      env: {
        PORT: '0',
        DATABASE_URL: this.databaseUrl,
        LATCHKEY_DATA_DIR: join(this.directory ?? tmpdir(), id),
        LATCHKEY_SERVICE_VERSION: version,
        LATCHKEY_DATACENTER: this.options.datacenter,
        LATCHKEY_NODE_NAME: id,
        LATCHKEY_ACL_ENABLED: acls ? 'on' : 'off',
        LATCHKEY_DEFAULT_POLICY: this.options.defaultPolicy,
        LATCHKEY_INITIAL_MANAGEMENT_TOKEN: this.managementSecret,
        LATCHKEY_ENCRYPTION_KEYS: this.keys,
        LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
        LATCHKEY_ALLOW_UNCONVERTED_LEGACY: 'on',
      },
      ready: /listens on (\S+)/,
      name: id,
      onLog: (line) => this.log.push(line),
    })
    this.servers.set(id, server)
  }

  /** Ends a server: `SIGTERM` leaves, `SIGKILL` crashes. */
  async end(id: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const server = this.servers.get(id)
    this.servers.delete(id)
    this.paused.delete(id)
    await server?.stop(signal)
  }

  pause(id: string): void {
    this.servers.get(id)?.signal('SIGSTOP')
    this.paused.add(id)
  }

  resume(id: string): void {
    this.servers.get(id)?.signal('SIGCONT')
    this.paused.delete(id)
  }

  /** URLs of the servers that run and are not paused. */
  urls(): string[] {
    return [...this.servers].flatMap(([id, server]) => (this.paused.has(id) ? [] : [server.url]))
  }

  /** A client of any running server, with a secret. @throws if none runs. */
  client(secret: string, url = this.urls()[0]): Client {
    if (url === undefined) throw new Error('no server of the rehearsal runs')
    return createClient({ address: url, token: secret, env: false, retries: 0, timeout: 10_000 })
  }

  /** Ends every process and removes what they wrote. Safe to call twice. */
  async close(): Promise<void> {
    const servers = [...this.servers.keys()]
    await Promise.all(servers.map((id) => this.end(id, 'SIGTERM')))
    await this.database?.stop('SIGTERM')
    this.database = undefined
    if (this.directory !== undefined) await rm(this.directory, { recursive: true, force: true })
    this.directory = undefined
  }
}
