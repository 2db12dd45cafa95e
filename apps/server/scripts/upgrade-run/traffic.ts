/** What clients do meanwhile: the legacy API, the new one, and edits whose outcome is known. */
import type { LegacyToken } from '@latchkey/contract'
import { type Cluster, MANAGEMENT } from './cluster.ts'

const PAUSE_MS = 100

export class Traffic {
  /** How often each kind of request was answered with each status; 0: it was not answered. */
  readonly statuses: Record<string, Record<number, number>> = {}
  /** The last name that was written, by secret; `undefined` where nobody knows whether it was. */
  readonly edits = new Map<string, string | undefined>()
  private readonly cluster: Cluster
  private readonly dump: readonly LegacyToken[]
  private running: Promise<unknown> = Promise.resolve()
  private isRunning = false

  constructor(cluster: Cluster, dump: readonly LegacyToken[]) {
    this.cluster = cluster
    this.dump = dump
  }

  start(): void {
    this.isRunning = true
    const loops = [() => this.edit(), () => this.legacy(), () => this.newApi()]
    this.running = Promise.all(loops.map((work) => this.loop(work)))
  }

  async stop(): Promise<void> {
    this.isRunning = false
    await this.running
  }

  private async loop(work: () => Promise<void>): Promise<void> {
    while (this.isRunning) {
      await work()
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    }
  }

  private async edit(): Promise<void> {
    const token = this.pick()
    if (token.Type === 'management') return
    const Name = `edited at ${Date.now()}`
    const status = await this.ask('legacy update', 'PUT', '/acl/update', { ...token, Name })
    this.edits.set(token.ID, status === 200 ? Name : undefined)
  }

  private async legacy(): Promise<void> {
    const ID = `short-lived ${Date.now()}`
    await this.ask('legacy create', 'PUT', '/acl/create', { ID })
    await this.ask('legacy destroy', 'PUT', `/acl/destroy/${encodeURIComponent(ID)}`)
    await this.ask('legacy info', 'GET', `/acl/info/${encodeURIComponent(this.pick().ID)}`)
  }

  private async newApi(): Promise<void> {
    await this.ask('create', 'PUT', '/acl/token', { Description: 'new', ExpirationTTL: '5m' })
    await this.ask('self', 'GET', '/acl/token/self', undefined, this.pick().ID)
  }

  private async ask(
    kind: string,
    method: string,
    path: string,
    body?: unknown,
    token = MANAGEMENT,
  ): Promise<number> {
    const status = (await this.cluster.ask(method, path, { token, body }))?.status ?? 0
    const counts = this.statuses[kind] ?? {}
    this.statuses[kind] = counts
    counts[status] = (counts[status] ?? 0) + 1
    return status
  }

  private pick(): LegacyToken {
    const token = this.dump[Math.floor(Math.random() * this.dump.length)]
    if (!token) throw new Error('the dump is empty')
    return token
  }
}
