/**
 * LOAD-03: one server at 60 % of its capacity for hours: reads, writes and aborted waits on a constant number of tokens, so
 * any growth is a leak.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunningServer } from '@latchkey/testkit/process/server-process'
import type { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, jsonOf, type Request } from '../cluster/harness/gateway.ts'
import { memoryOf } from '../cluster/harness/memory-of.ts'
import { MANAGEMENT, startServerGroup } from '../cluster/harness/server-group.ts'
import { type SoakFigures, WARM_UP_PART, type Window } from './judge-soak.ts'

interface SoakOptions {
  readonly databaseUrl: string
  readonly minutes: number
  readonly random: SeededRandom
}

const TOKENS = 1_000
const WINDOWS = 25
const CAPACITY_MS_MAX = 5_000
/** Maximum fraction of a short run that is spent on measuring the capacity. */
const CAPACITY_PART = 0.3
const CAPACITY_CLIENTS = 32
const LOAD_PART = 0.6
const TICK_MS = 10
/** Does not overload a server that falls behind; the delay shows in the p99. */
const IN_FLIGHT_MAX = 200
/** Time until closed connections are gone. */
const QUIET_MS = 1_000

export async function soak({ databaseUrl, minutes, random }: SoakOptions): Promise<SoakFigures> {
  const NODE_OPTIONS = `--expose-gc --import=${join(import.meta.dirname, '../cluster/harness/report-memory.ts')}`
  const group = await startServerGroup({ databaseUrl, count: 1, env: { NODE_OPTIONS } })
  try {
    const [gateway, server] = [group.gateways[0] as Gateway, group.server(0) as RunningServer]
    const load = new Load(gateway, random)
    await load.prepare()
    const capacity = await load.measureCapacity(Math.min(CAPACITY_MS_MAX, minutes * 60_000 * CAPACITY_PART))
    const perSecond = Math.max(1, Math.round(capacity * LOAD_PART))
    const windows: Window[] = []
    let before = 0
    const startedAt = performance.now()
    for (let n = 1; n <= WINDOWS; n += 1) {
      const p99Ms = await load.apply(perSecond, (minutes * 60_000) / WINDOWS)
      const { rss, heapUsed } = await memoryOf(server)
      windows.push({ atMs: performance.now() - startedAt, residentBytes: rss, heapBytes: heapUsed, p99Ms })
      if (n === Math.ceil(WINDOWS * WARM_UP_PART)) before = await quietHandles(gateway, server)
    }
    const handles = { before, after: await quietHandles(gateway, server) }
    const { requests, failures } = load
    return { minutes, capacity, perSecond, requests, failures, handles, windows }
  } finally {
    await group.stop()
  }
}

/** Open files and sockets while no client is connected. */
async function quietHandles(gateway: Gateway, { process: { pid } }: RunningServer): Promise<number> {
  gateway.close()
  await sleep(QUIET_MS)
  return readdirSync(`/proc/${pid}/fd`).length
}

class Load {
  requests = 0
  failures = 0
  private readonly gateway: Gateway
  private readonly random: SeededRandom
  private readonly accessors: string[] = []
  private index = 0

  constructor(gateway: Gateway, random: SeededRandom) {
    this.gateway = gateway
    this.random = random
  }

  async prepare(): Promise<void> {
    const client = async () => {
      while (this.accessors.length < TOKENS) this.accessors.push(await this.create())
    }
    await Promise.all(Array.from({ length: CAPACITY_CLIENTS }, client))
  }

  /** @returns requests a second when they are sent one after another. */
  async measureCapacity(ms: number): Promise<number> {
    const until = performance.now() + ms
    let answered = 0
    const client = async () => {
      while (performance.now() < until) {
        await this.act()
        answered += 1
      }
    }
    await Promise.all(Array.from({ length: CAPACITY_CLIENTS }, client))
    return Math.round((answered * 1_000) / ms)
  }

  /** Sends requests at a steady rate, open-loop. @returns the p99 of all answers, in milliseconds. */
  async apply(perSecond: number, ms: number): Promise<number> {
    const times: number[] = []
    const inFlight = new Set<Promise<void>>()
    const startedAt = performance.now()
    let begun = 0
    for (let now = startedAt; now < startedAt + ms; now = performance.now()) {
      const due = Math.floor(((now - startedAt) * perSecond) / 1_000)
      for (; begun < due && inFlight.size < IN_FLIGHT_MAX; begun += 1) {
        const actedAt = performance.now()
        const action = this.act().then(() => {
          times.push(performance.now() - actedAt)
          inFlight.delete(action)
        })
        inFlight.add(action)
      }
      // Requests that were skipped because too many were in flight are not made up for.
      begun = Math.max(begun, due)
      await sleep(TICK_MS)
    }
    await Promise.all(inFlight)
    return times.sort((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0
  }

  private async act(): Promise<void> {
    this.requests += 1
    try {
      await this.actOnce()
    } catch {
      this.failures += 1
    }
  }

  private async actOnce(): Promise<void> {
    const { random, accessors } = this
    const path = `/acl/token/${random.pick(accessors)}`
    const kind = random.below(100)
    if (kind < 60) await this.ask({ method: 'GET', path })
    else if (kind < 70) await this.ask({ method: 'GET', path: '/acl/token/self' })
    else if (kind < 80) await this.ask({ method: 'GET', path: '/acl/tokens?limit=100' })
    else if (kind < 90) await this.ask({ method: 'PUT', path, body: { Description: `${kind}` } })
    else if (kind < 95) await this.ask({ method: 'DELETE', path: `/acl/token/${await this.create()}` })
    else if (kind < 98) await this.ask({ method: 'GET', path: `${path}?index=${this.index}&wait=50ms` })
    else await this.giveUp(path)
  }

  /** Waits, and disconnects. */
  private async giveUp(path: string): Promise<void> {
    const signal = AbortSignal.timeout(20)
    const request = { method: 'GET', path: `${path}?index=${this.index}&wait=10m`, signal } as const
    await this.ask(request).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  private async create(): Promise<string> {
    const { AccessorID } = await this.ask<{ AccessorID: string }>({
      method: 'PUT',
      path: '/acl/token',
      body: {},
    })
    return AccessorID
  }

  private async ask<T>(request: Request): Promise<T> {
    const reply = await this.gateway.ask({ ...request, token: MANAGEMENT })
    this.index = Math.max(this.index, reply.index)
    return jsonOf<T>(reply)
  }
}
