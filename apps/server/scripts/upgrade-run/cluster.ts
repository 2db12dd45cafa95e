/** The server processes of a run: three places, each with one process at a time. */
import { type Answer, type CallOptions, type RunningServer, runServer } from '../../test/run-server.ts'

export const MANAGEMENT = '11111111-2222-4333-8444-555555555555'

export class Cluster {
  private readonly databaseUrl: string
  private readonly places = new Map<number, RunningServer>()
  private turn = 0

  constructor(databaseUrl: string) {
    this.databaseUrl = databaseUrl
  }

  async start(place: number, version: string): Promise<void> {
    const server = await runServer({
      DATABASE_URL: this.databaseUrl,
      LATCHKEY_SERVICE_VERSION: version,
      LATCHKEY_NODE_NAME: `node-${place}`,
      LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
      LATCHKEY_ENCRYPTION_KEYS: `run:${Buffer.alloc(32, 7).toString('base64')}`,
      LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
      LATCHKEY_LOG_LEVEL: 'warn',
    })
    this.places.set(place, server)
  }

  async stop(place: number, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    const server = this.places.get(place)
    this.places.delete(place)
    await server?.stop(signal)
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.places.keys()].map((place) => this.stop(place, 'SIGKILL')))
  }

  get urls(): readonly string[] {
    return [...this.places.values()].map(({ url }) => url)
  }

  /** Asks the next process in turn; `undefined` where it gave no answer. */
  async ask(method: string, path: string, options?: CallOptions): Promise<Answer | undefined> {
    const servers = [...this.places.values()]
    this.turn += 1
    return servers[this.turn % servers.length]?.call(method, path, options).catch(() => undefined)
  }

  /** As the management token, and for what must succeed. */
  async manage(method: string, path: string, body?: unknown): Promise<Answer['body']> {
    const answer = await this.ask(method, path, { token: MANAGEMENT, body })
    if (answer?.status !== 200) throw new Error(`${method} ${path}: ${answer?.status} ${answer?.body}`)
    return answer.body
  }

  /** The place whose process runs the single-winner jobs. */
  async leader(): Promise<number | undefined> {
    const address = (await this.ask('GET', '/status/leader'))?.body
    for (const [place, { url }] of this.places) if (url.endsWith(`//${address}`)) return place
    return undefined
  }
}
