/** A datacenter of a replication test: one server process, its database and its address, which survive restarts. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Answer, Changes } from '@latchkey/contract'
import { freePorts } from '@latchkey/testkit/process/ports'
import { type RunningServer, runServer } from '@latchkey/testkit/process/server-process'
import { MANAGEMENT } from '../shared-env.ts'

export { MANAGEMENT }

const PATIENCE_MS = 20_000

export class Datacenter {
  readonly name: string
  readonly databaseUrl: string
  /** Settings of the next start. */
  readonly env: Record<string, string>
  readonly url: string
  private running: RunningServer | undefined

  private constructor(
    name: string,
    databaseUrl: string,
    port: number,
    env: Readonly<Record<string, string>>,
  ) {
    this.name = name
    this.databaseUrl = databaseUrl
    this.url = `http://127.0.0.1:${port}`
    this.env = {
      PORT: String(port),
      DATABASE_URL: databaseUrl,
      LATCHKEY_DATACENTER: name,
      LATCHKEY_NODE_NAME: name,
      LATCHKEY_ENCRYPTION_KEYS: `${name}:${Buffer.alloc(32, name).toString('base64')}`,
      LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
      LATCHKEY_LOGINS_PER_SECOND: '0',
      LATCHKEY_LOG_LEVEL: 'warn',
      ...env,
    }
  }

  /** Reserves an address, without starting anything. */
  static async prepare(
    name: string,
    databaseUrl: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Datacenter> {
    const [port = 0] = await freePorts(1)
    return new Datacenter(name, databaseUrl, port, env)
  }

  get server(): RunningServer {
    if (this.running === undefined) throw new TypeError(`${this.name} does not run`)
    return this.running
  }

  async start(): Promise<void> {
    this.running = await runServer(this.env)
  }

  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { running } = this
    this.running = undefined
    await running?.stop(signal)
  }

  /** Sends a request below `/v1`, as the manager unless another token is given. */
  call(method: string, path: string, body?: unknown, token = MANAGEMENT): ReturnType<RunningServer['call']> {
    return this.server.call(method, path, { token, ...(body === undefined ? {} : { body }) })
  }

  /** Like {@link call}, but retries while the answer is 503: on a busy machine a database may be slow. */
  async patiently(
    method: string,
    path: string,
    body?: unknown,
    token = MANAGEMENT,
  ): ReturnType<RunningServer['call']> {
    for (const deadline = performance.now() + PATIENCE_MS; ; await sleep(100)) {
      const answer = await this.call(method, path, body, token)
      if (answer.status !== 503 || performance.now() > deadline) return answer
    }
  }

  /** @throws unless the answer is 200. */
  async ok(method: string, path: string, body?: unknown, token = MANAGEMENT) {
    const answer = await this.patiently(method, path, body, token)
    if (answer.status !== 200) {
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      throw new Error(`${this.name}: ${method} ${path} answered ${answer.status}: ${text}`)
    }
    return answer.body
  }

  /** The status for a token's secret: 200 or 403. */
  async statusOf(secretId: string): Promise<number> {
    return (await this.patiently('GET', '/acl/token/self', undefined, secretId)).status
  }

  replication(): Promise<Answer<'operations.replication'>> {
    return this.ok('GET', '/acl/replication')
  }

  /** The global records by kind and key, without their indexes, which are this datacenter's own. */
  async globalRecords(): Promise<ReadonlyMap<string, string>> {
    const records = new Map<string, string>()
    for (let cursor = ''; ; ) {
      const path = cursor === '' ? '/acl/changes' : `/acl/changes?cursor=${encodeURIComponent(cursor)}`
      const response = await fetch(`${this.url}/v1${path}`, { headers: { 'X-Service-Token': MANAGEMENT } })
      if (response.status !== 200) throw new Error(`${this.name}: ${path} answered ${response.status}`)
      const page = (await response.json()) as Changes
      for (const kind of ['Namespaces', 'Policies', 'Roles', 'Tokens'] as const) {
        for (const record of page[kind]) {
          const { CreateIndex: _, ModifyIndex: __, ...content } = record
          const key = 'AccessorID' in record ? record.AccessorID : 'ID' in record ? record.ID : record.Name
          records.set(`${kind} ${key}`, JSON.stringify(content))
        }
      }
      const next = response.headers.get('x-service-next-cursor')
      if (next === null) return records
      cursor = next
    }
  }
}

/** The differences between the global records of two datacenters; empty if there are none. */
export async function differences(one: Datacenter, other: Datacenter): Promise<readonly string[]> {
  const [ours, theirs] = await Promise.all([one.globalRecords(), other.globalRecords()])
  const keys = new Set([...ours.keys(), ...theirs.keys()])
  return [...keys]
    .filter((key) => ours.get(key) !== theirs.get(key))
    .map((key) => `${key}: ${ours.get(key)} in ${one.name}, ${theirs.get(key)} in ${other.name}`)
}

/**
 * Waits until the global records of two datacenters are equal.
 *
 * @throws with the differences if they are not equal in time.
 */
export async function untilEqual(one: Datacenter, other: Datacenter, msMax = 60_000): Promise<void> {
  for (const deadline = performance.now() + msMax; ; await sleep(50)) {
    // A datacenter that restarts does not answer, and one without a copy refuses every token.
    const found = await differences(one, other).catch((error: Error) => [error.message])
    if (found.length === 0) return
    if (performance.now() > deadline) throw new Error(`still different: ${found.slice(0, 5).join('\n')}`)
  }
}
