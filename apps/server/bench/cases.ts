/** The cases in order: what one leaves behind, such as more tokens, must not disturb the next. */
import { type Baselines, type Figures, measureLoad } from './bench.ts'
import {
  changeWatched,
  haveInstances,
  healthReads,
  heartbeats,
  registrations,
  WATCHED_PATH,
} from './catalog.ts'
import { call, shuffled } from './client.ts'
import type { Load, LoadRequest } from './load.ts'
import { loginRequest } from './logins.ts'
import type { BenchOptions } from './options.ts'
import { type Measured, ROOT } from './processes.ts'
import { DELETES_PER_SECOND, OWN_POLICIES, type Tokens } from './tokens.ts'
import { measureWaiters, waitingRequests } from './waiters.ts'

export interface Context {
  readonly server: Measured
  readonly tokens: Tokens
  readonly baselines: Baselines
  readonly options: BenchOptions
  readonly figures: Figures
}

export interface Case {
  readonly name: string
  run(context: Context): Promise<void>
}

const SELF = '/v1/acl/token/self'
const LIST = '/v1/acl/tokens'
const TOKENS = 10_000
const CHECKS = 64

export const CASES: readonly Case[] = [
  reading('self', 32, async () => [get(SELF)]),
  reading('list-100', 32, async ({ tokens }) => {
    await tokens.have(100)
    return [get(LIST)]
  }),
  waiting('waiters-1000-list-100', 1_000, watchList),
  waiting('waiters-5000-list-100', 5_000, watchList),
  waiting('waiters-5000-token', 5_000, watchToken),
  reading('list-1000', 32, async ({ tokens }) => {
    await tokens.have(1_000)
    return [get(LIST)]
  }),
  reading('list-10000', 8, async ({ tokens }) => {
    await tokens.have(TOKENS)
    return [get(LIST)]
  }),
  reading('list-filtered-1000', 32, async ({ tokens }) => {
    await tokens.have(TOKENS)
    return [get(`${LIST}?policy=${await tokens.filteredPolicy()}`)]
  }),
  reading('read', 32, ({ tokens }) => tokens.accessors(TOKENS).then(reads)),
  {
    name: 'read-50-policies',
    async run(context) {
      const { tokens, server } = context
      const requests = reads(await tokens.accessors(TOKENS))
      const secret = await tokens.secretWithPolicies()
      const bodyLength = await tokens.lengthOf(requests[0]?.path ?? SELF, secret)
      const load = { connections: 32, secret, requests }
      context.figures.loads.push(
        await measureLoad('read-50-policies', server, () => load, { ...context, bodyLength }),
      )
    },
  },
  {
    name: 'authorize-64',
    async run(context) {
      const secret = await context.tokens.secretWithPolicies()
      const checks = Array.from({ length: CHECKS }, (_, i) => ({
        Resource: i % 2 === 0 ? 'key' : 'service',
        Segment: i % 2 === 0 ? `app${i % OWN_POLICIES}/item` : `service${i % OWN_POLICIES}`,
        Access: i % 3 === 0 ? 'write' : 'read',
      }))
      const requests = [{ method: 'POST', path: '/v1/internal/acl/authorize', body: JSON.stringify(checks) }]
      const load = { connections: 32, secret, requests }
      context.figures.loads.push(await measureLoad('authorize-64', context.server, () => load, context))
    },
  },
  writing('mix-95-5', 32, async ({ tokens }) => {
    const accessors = shuffled(await tokens.accessors(TOKENS))
    return accessors.map((accessor, i) =>
      i % 20 === 0 ? update(accessor) : get(`/v1/acl/token/${accessor}`),
    )
  }),
  writing('create', 32, async () => [create()]),
  writing('create', 256, async () => [create()]),
  ...[32, 256].map((connections) =>
    writing('login', connections, async ({ server }) => [await loginRequest(server)]),
  ),
  ...[32, 256].map((connections) =>
    writing('update', connections, async ({ tokens }) =>
      shuffled(await tokens.accessors(TOKENS)).map((accessor) => update(accessor)),
    ),
  ),
  ...[32, 256].map((connections) =>
    writing('clone', connections, async ({ tokens }) =>
      shuffled(await tokens.accessors(TOKENS)).map((accessor) => ({
        method: 'PUT',
        path: `/v1/acl/token/${accessor}/clone`,
        body: '{}',
      })),
    ),
  ),
  deleting(32),
  deleting(256),
  reading('health-passing', 32, async ({ server }) => {
    await haveInstances(server)
    return healthReads()
  }),
  waiting('waiters-5000-service', 5_000, watchService),
  writing('heartbeat', 32, ({ server }) => heartbeats(server)),
  ...[1, 32, 256].map((connections) =>
    writing('register', connections, async ({ server }) => {
      await haveInstances(server)
      return registrations()
    }),
  ),
]

function get(path: string): LoadRequest {
  return { method: 'GET', path }
}

function create(): LoadRequest {
  return { method: 'PUT', path: '/v1/acl/token', body: '{"Description":"a token of the benchmark"}' }
}

function update(accessor: string): LoadRequest {
  return { method: 'PUT', path: `/v1/acl/token/${accessor}`, body: '{"Description":"an updated token"}' }
}

/** In an order from which no cache can profit. */
function reads(accessors: readonly string[]): readonly LoadRequest[] {
  return shuffled(accessors.slice(0, TOKENS)).map((accessor) => get(`/v1/acl/token/${accessor}`))
}

type Requests = (context: Context) => Promise<readonly LoadRequest[]>

/** Reads with the management token, compared to the baselines with a body of the same length. */
function reading(name: string, connections: number, requestsOf: Requests): Case {
  return {
    name,
    async run(context) {
      const requests = await requestsOf(context)
      const bodyLength = await context.tokens.lengthOf(requests[0]?.path ?? SELF)
      const load = { connections, secret: ROOT, requests }
      context.figures.loads.push(
        await measureLoad(name, context.server, () => load, { ...context, bodyLength }),
      )
    },
  }
}

function writing(name: string, connections: number, requestsOf: Requests): Case {
  return {
    name: name.startsWith('mix') ? name : `${name}-${connections}`,
    async run(context) {
      const load = { connections, secret: ROOT, requests: await requestsOf(context) }
      context.figures.loads.push(await measureLoad(this.name, context.server, () => load, context))
    },
  }
}

/** A token can be deleted only once, so every round and the warm-up have their own. */
function deleting(connections: number): Case {
  return {
    name: `delete-${connections}`,
    async run(context) {
      const { rounds, seconds } = context.options
      const each = Math.ceil(DELETES_PER_SECOND * (seconds + 1))
      // One more part, for the warm-up.
      const count = each * (rounds + 1)
      const accessors = (await context.tokens.accessors(TOKENS + count)).slice(-count)
      const loads = (round: number): Load => ({
        connections,
        secret: ROOT,
        requests: accessors
          .slice(each * round, each * (round + 1))
          .map((accessor) => ({ method: 'DELETE', path: `/v1/acl/token/${accessor}` })),
      })
      context.figures.loads.push(await measureLoad(this.name, context.server, loads, context))
    },
  }
}

/** A read that clients wait for, and a write that wakes them all. */
interface Watched {
  /** Below `/v1`. */
  readonly path: string
  wake(round: number): Promise<unknown>
}

async function watchToken({ server, tokens }: Context): Promise<Watched> {
  await tokens.have(100)
  const path = `/acl/token/${(await tokens.accessors(100)).at(-1) ?? ''}`
  return {
    path,
    wake: (round) => call(server, 'PUT', path, { body: { Description: `the update ${round}` } }),
  }
}

async function watchList(context: Context): Promise<Watched> {
  return { ...(await watchToken(context)), path: '/acl/tokens' }
}

async function watchService({ server }: Context): Promise<Watched> {
  await haveInstances(server)
  return { path: WATCHED_PATH, wake: (round) => changeWatched(server, round) }
}

function waiting(name: string, count: number, watch: (context: Context) => Promise<Watched>): Case {
  return {
    name,
    async run(context) {
      const { server, baselines, options, figures } = context
      const watched = await watch(context)
      const { path } = watched
      const rounds = []
      const raw = []
      for (let round = 0; round < options.rounds; round += 1) {
        const { index, text } = await call(server, 'GET', path)
        const wake = () => watched.wake(round)
        const requests = waitingRequests(server, `/v1${path}`, index)
        rounds.push(await measureWaiters(server, { count, ...requests, wake }))
        const to = (kind: string) => `GET /${kind}/${Buffer.byteLength(text)} HTTP/1.1\r\nHost: bench\r\n\r\n`
        const held = { first: to('bytes'), request: to('held') }
        const release = () => fetch(`${baselines.raw.url}/release`, { method: 'PUT' })
        raw.push(await measureWaiters(baselines.raw, { count, ...held, wake: release }))
      }
      const [middle] = byDelay(rounds).slice(Math.floor(rounds.length / 2))
      const [middleRaw] = byDelay(raw).slice(Math.floor(raw.length / 2))
      if (!middle || !middleRaw) return
      // A process keeps memory once allocated: only its first waiters show the cost of a waiter.
      const bytesEach = rounds[0]?.bytesEach ?? 0
      figures.waiters.push({ case: name, waiters: count, ...middle, bytesEach, rawP99Ms: middleRaw.p99Ms })
    },
  }
}

function byDelay<T extends { readonly p99Ms: number }>(results: readonly T[]): readonly T[] {
  return [...results].sort((a, b) => a.p99Ms - b.p99Ms)
}
