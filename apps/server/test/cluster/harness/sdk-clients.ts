/** Clients of the published SDK that work like applications, and record failures. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient, LatchkeyError } from '@latchkey/sdk'
import { MANAGEMENT } from './server-group.ts'

export interface SdkClients {
  readonly counts: SdkCounts
  /** Stops them; resolves when the last call is finished. */
  stop(): Promise<void>
}

export interface SdkCounts {
  calls: number
  /** Calls that waited for a change. */
  waits: number
  /** Attempts that the SDK retried, by error. */
  readonly retries: Record<string, number>
  /** Failed calls, by error. */
  readonly failures: Record<string, number>
  /** Failures that are allowed: writes that must not be sent twice and may have been applied. */
  openWrites: number
  /** Answers that lack an earlier write of the same client. */
  readonly outdated: string[]
}

interface SdkClientsOptions {
  readonly address: string
  /** Clients that create, use and delete tokens. */
  readonly clients: number
  /** Clients that wait for a key to change. */
  readonly waiters: number
  /** Default: as in the SDK. */
  readonly retries?: number
  /** Pause of each client after a call. Default 0. */
  readonly pauseMs?: number
}

/** Interval between changes of the watched key: long enough that most waits overlap a restart. */
const CHANGE_INTERVAL_MS = 2_000
const WAIT_MS = 20_000
const KEY = 'rolling/awaited'

export function startSdkClients(options: SdkClientsOptions): SdkClients {
  const counts: SdkCounts = { calls: 0, waits: 0, retries: {}, failures: {}, openWrites: 0, outdated: [] }
  const group = randomUUID()
  const ending = new AbortController()
  const client = createClient({
    address: options.address,
    token: MANAGEMENT,
    env: false,
    ...(options.retries === undefined ? {} : { retries: options.retries }),
    onRetry: ({ endpoint, error }) => countUp(counts.retries, `${endpoint}: ${error.message}`),
  })
  const attempt: Attempt = async (work, isSentOnce = false) => {
    counts.calls += 1
    try {
      return await work()
    } catch (error) {
      if (ending.signal.aborted && error === ending.signal.reason) return undefined
      if (!(error instanceof LatchkeyError)) throw error
      countUp(counts.failures, `${error.endpoint}: ${error.message}`)
      if (error.maybeApplied && isSentOnce) counts.openWrites += 1
      return undefined
    } finally {
      if (options.pauseMs !== undefined) await sleep(options.pauseMs)
    }
  }
  const isOver = () => ending.signal.aborted
  const expect = (what: string, isAsWritten: boolean) => {
    if (!isAsWritten) counts.outdated.push(what)
  }
  const live = async (id: number) => {
    for (let life = 0; !isOver(); life += 1)
      await liveOnce(client, `${group}-${id}-${life}`, { attempt, expect })
  }
  const wait = async () => {
    for (let index = 0; !isOver(); ) {
      counts.waits += 1
      const { signal } = ending
      const found = await attempt(() => client.withMeta().kv.get(KEY, { index, wait: WAIT_MS, signal }))
      index = found?.index ?? 0
    }
  }
  const change = async () => {
    for (let n = 0; !isOver(); n += 1) {
      await attempt(() => client.kv.put(KEY, String(n)))
      await sleep(CHANGE_INTERVAL_MS, undefined, { signal: ending.signal }).catch(() => undefined)
    }
  }
  const running = (async () => {
    await attempt(() => client.kv.put(KEY, ''))
    await Promise.all([
      change(),
      ...Array.from({ length: options.clients }, (_, id) => live(id)),
      ...Array.from({ length: options.waiters }, wait),
    ])
  })()
  return {
    counts,
    stop: async () => {
      ending.abort()
      await running
    },
  }
}

/** @param isSentOnce the SDK must not repeat the call if it may have been applied. Default false. */
type Attempt = <T>(work: () => Promise<T>, isSentOnce?: boolean) => Promise<T | undefined>

interface Doing {
  /** @returns undefined if it failed. */
  readonly attempt: Attempt
  readonly expect: (what: string, isAsWritten: boolean) => void
}

/** Creates, uses and deletes a policy, a token and a key. */
async function liveOnce(client: Client, name: string, { attempt, expect }: Doing): Promise<void> {
  const Rules = 'key_prefix "" { policy = "write" }'
  const policy = await attempt(() => client.policies.create({ Name: `rolling-${name}`, Rules }), true)
  const token = await attempt(() =>
    client.tokens.create({ Description: name, Policies: policy ? [{ ID: policy.ID }] : [] }),
  )
  if (policy && token) {
    const own = client.withToken(token.SecretID)
    const self = await attempt(() => own.tokens.self())
    if (self) expect('self', self.AccessorID === token.AccessorID)
    const changed = { ...token, Description: `${name} changed` }
    const updated = await attempt(() => client.tokens.update(token.AccessorID, changed))
    const read = await attempt(() => client.tokens.read(token.AccessorID))
    if (updated && read) expect('update', read.Description === changed.Description)
    const decided = await attempt(() => own.authorize([{ Resource: 'key', Segment: name, Access: 'write' }]))
    if (decided) expect('authorize', decided[0]?.Allow === true)
    const written = await attempt(() => own.kv.put(`rolling/${name}`, name, { cas: 0 }), true)
    const entry = written ? await attempt(() => own.kv.get(`rolling/${name}`)) : undefined
    if (written) expect('put', entry !== undefined)
    await attempt(() => own.kv.delete(`rolling/${name}`))
    const listed = await attempt(() => client.tokens.list({ policy: policy.ID }))
    if (listed) expect('list', listed.length === 1)
    const clone = await attempt(() => client.tokens.clone(token.AccessorID), true)
    if (clone) await attempt(() => client.tokens.delete(clone.AccessorID))
  }
  if (token) await attempt(() => client.tokens.delete(token.AccessorID))
  if (policy) await attempt(() => client.policies.delete(policy.ID))
}

function countUp(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1
}
