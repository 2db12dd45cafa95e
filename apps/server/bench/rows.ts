/** The rows: what each server does in turn, with its own tokens. */
import {
  changeWatched,
  haveInstances,
  healthReads,
  heartbeats,
  registrations,
  WATCHED_PATH,
} from './catalog.ts'
import { call, createPolicy, createToken, inParallel, shuffled } from './client.ts'
import type { Contender } from './contender.ts'
import type { Sample } from './contest.ts'
import { applyLoad, type LoadRequest } from './load.ts'
import { loginRequest } from './logins.ts'
import { treeBytes } from './process-tree.ts'
import { DELETES_PER_SECOND, Tokens } from './tokens.ts'
import { measureWaiters, waitingRequests } from './waiters.ts'

/** What the rows need on a server. */
export class Field {
  readonly server: Contender
  readonly tokens: Tokens
  private secrets: readonly string[] = []
  private readonly callers = new Map<number, string>()

  constructor(server: Contender, tokens = new Tokens(server)) {
    this.server = server
    this.tokens = tokens
  }

  /** Secrets of this many tokens, each of which may read itself. */
  async secretsOf(count: number): Promise<readonly string[]> {
    const missing = count - this.secrets.length
    const made = await inParallel(Math.max(0, missing), 64, () => createToken(this.server, {}))
    this.secrets = [...this.secrets, ...made.map(({ SecretID }) => SecretID)]
    return this.secrets.slice(0, count)
  }

  /** The secret of a token with this many policies; each allows a key and a service, and the first one reading tokens. */
  async callerWith(policies: number): Promise<string> {
    const known = this.callers.get(policies)
    if (known !== undefined) return known
    const ids = await inParallel(policies, 8, (i) => {
      const rules = `key_prefix "app${i}/" { policy = "read" }\nservice "service${i}" { policy = "write" }`
      const name = `bench-${policies}-${i}-${Date.now().toString(36)}`
      return createPolicy(this.server, name, i === 0 ? `${rules}\nacl = "read"` : rules)
    })
    const { SecretID } = await createToken(this.server, { Policies: ids.map((ID) => ({ ID })) })
    this.callers.set(policies, SecretID)
    return SecretID
  }
}

export interface Row {
  readonly name: string
  readonly unit: 'per second' | 'ms' | 'MiB'
  /** The ratio to another server that we want. Every row wants 1 at least. */
  readonly goal?: number
  /** Whether the row inspects the processes of the servers, or restarts them. */
  readonly needsProcess?: true
  /** Only for this server: others may answer such a read in chunks, whose end the waiting clients do not look for. */
  readonly isOwn?: true
  /** Called once for each server, before its rounds. */
  prepare(field: Field): Promise<unknown>
  /** Prepares a round; the returned function measures it. */
  round(field: Field, context: { readonly seconds: number; readonly round: number }): Promise<Measurement>
}

type Measurement = () => Promise<Sample>

const TOKENS = 10_000
const MANY = 100_000
const CHECKS = 64
const SELF: LoadRequest = { method: 'GET', path: '/v1/acl/token/self' }
const LIST: LoadRequest = { method: 'GET', path: '/v1/acl/tokens' }
const CREATE: LoadRequest = { method: 'PUT', path: '/v1/acl/token', body: '{"Description":"a token"}' }

/** In order: rows with few tokens first, and rows that create an unknown number of tokens last. */
export const ROWS: readonly Row[] = [
  ...both((connections) => load(`self-${connections}`, connections, async () => [SELF], 2)),
  { ...waiting('waiters-1000-token', 1_000, watchToken), goal: 1.5 },
  { ...waiting('waiters-5000-token', 5_000, watchToken), goal: 1.5 },
  waiting('waiters-5000-list-100', 5_000, watchList),
  ...[100, 1_000, TOKENS].map((count) =>
    load(`list-${count}`, 8, async ({ tokens }) => {
      await tokens.have(count)
      return [LIST]
    }),
  ),
  load('list-filtered-1000', 32, async ({ tokens }) => {
    await tokens.have(TOKENS)
    return [{ ...LIST, path: `${LIST.path}?policy=${await tokens.filteredPolicy()}` }]
  }),
  ...both((connections) =>
    load(
      `read-${connections}`,
      connections,
      async ({ tokens }) => shuffled(await tokens.accessors(TOKENS)).map(read),
      2,
    ),
  ),
  ...both((connections) =>
    load(
      `mix-95-5-${connections}`,
      connections,
      async ({ tokens }) =>
        shuffled(await tokens.accessors(TOKENS)).map((id, i) => (i % 20 === 0 ? update(id) : read(id))),
      2,
    ),
  ),
  ...both((connections) => readByCallerWith(1, connections)),
  readByCallerWith(10, 256),
  ...[1, 10, 50].map((policies) =>
    load(`authorize-64-policies-${policies}`, 32, async (field) => {
      const secret = await field.callerWith(policies)
      return [{ method: 'POST', path: '/v1/internal/acl/authorize', body: checksOf(policies), secret }]
    }),
  ),
  selfOfMany(1_000, 32, 2),
  selfOfMany(TOKENS, 32, 2),
  selfOfMany(TOKENS, 256, 1.5),
  selfOfMany(MANY, 32, 1),
  ...[1, 1_000, MANY].map((count) =>
    load(
      `read-${count}-32`,
      32,
      async ({ tokens }) => shuffled(await tokens.accessors(count)).map(read),
      count === MANY ? 1.5 : 2,
    ),
  ),
  {
    name: 'memory-100000',
    unit: 'MiB',
    needsProcess: true,
    prepare: ({ tokens }) => tokens.have(MANY),
    round:
      async ({ server }) =>
      async () => ({ value: treeBytes(server.pid) / 1024 ** 2 }),
  },
  {
    name: 'first-list-100000',
    unit: 'ms',
    needsProcess: true,
    prepare: ({ tokens }) => tokens.have(MANY),
    async round({ server }) {
      await server.restart()
      return () => listed(server)
    },
  },
  ...both((connections) =>
    load(
      `update-${connections}`,
      connections,
      async ({ tokens }) => shuffled(await tokens.accessors(TOKENS)).map(update),
      writeGoal(connections),
    ),
  ),
  ...both(deleting),
  ...both((connections) =>
    load(
      `clone-${connections}`,
      connections,
      async ({ tokens }) =>
        shuffled(await tokens.accessors(TOKENS)).map((id) => ({
          method: 'PUT',
          path: `/v1/acl/token/${id}/clone`,
          body: '{}',
        })),
      writeGoal(connections),
    ),
  ),
  ...both((connections) =>
    load(`create-${connections}`, connections, async () => [CREATE], writeGoal(connections)),
  ),
  ...both((connections) =>
    load(`login-${connections}`, connections, async ({ server }) => [await loginRequest(server)]),
  ),
  load('health-passing', 32, async ({ server }) => {
    await haveInstances(server)
    return healthReads()
  }),
  { ...waiting('waiters-5000-service', 5_000, watchService), isOwn: true },
  load('heartbeat-32', 32, ({ server }) => heartbeats(server)),
  ...[1, 32, 256].map((connections) =>
    load(`register-${connections}`, connections, async ({ server }) => {
      await haveInstances(server)
      return registrations()
    }),
  ),
]

function writeGoal(connections: number): number {
  return connections === 256 ? 3 : 2
}

function readByCallerWith(policies: number, connections: number): Row {
  const requests = async (field: Field) => {
    const secret = await field.callerWith(policies)
    return shuffled(await field.tokens.accessors(TOKENS)).map((id) => ({ ...read(id), secret }))
  }
  return load(`read-${policies}-policies-${connections}`, connections, requests, 2)
}

function selfOfMany(secrets: number, connections: number, goal: number): Row {
  const requests = async (field: Field) =>
    shuffled(await field.secretsOf(secrets)).map((secret) => ({ ...SELF, secret }))
  return load(`self-${secrets}-secrets-${connections}`, connections, requests, goal)
}

function both(row: (connections: number) => Row): readonly Row[] {
  return [32, 256].map(row)
}

function load(
  name: string,
  connections: number,
  requestsOf: (field: Field) => Promise<readonly LoadRequest[]>,
  goal?: number,
): Row {
  const prepared = new WeakMap<Field, readonly LoadRequest[]>()
  const loadOf = (field: Field) => {
    const requests = prepared.get(field)
    if (!requests) throw new TypeError(`${name} was not prepared`)
    return { connections, secret: field.server.secret, requests }
  }
  return {
    name,
    unit: 'per second',
    ...(goal === undefined ? {} : { goal }),
    async prepare(field) {
      prepared.set(field, await requestsOf(field))
      await applyLoad(field.server, loadOf(field), 1)
    },
    round:
      async (field, { seconds }) =>
      () =>
        loaded(field.server, loadOf(field), seconds),
  }
}

async function loaded(...args: Parameters<typeof applyLoad>): Promise<Sample> {
  const { perSecond, p99Ms, failures, answers } = await applyLoad(...args)
  return { value: perSecond, p99Ms, failures, answers }
}

/** A list that lacks tokens is a failure: the server has lost them. */
async function listed(server: Contender): Promise<Sample> {
  const startedAt = performance.now()
  const { text } = await call(server, 'GET', '/acl/tokens')
  const value = performance.now() - startedAt
  const tokens = (JSON.parse(text) as readonly unknown[]).length
  return { value, answers: 1, failures: tokens < MANY ? 1 : 0 }
}

/** A token can be deleted only once, so every round creates its own. */
function deleting(connections: number): Row {
  return {
    name: `delete-${connections}`,
    unit: 'per second',
    prepare: async () => undefined,
    async round({ server }, { seconds }) {
      const count = DELETES_PER_SECOND * seconds
      const made = await inParallel(count, 64, () => createToken(server, {}))
      const requests = made.map(({ AccessorID }) => ({
        method: 'DELETE',
        path: `/v1/acl/token/${AccessorID}`,
      }))
      return () => loaded(server, { connections, secret: server.secret, requests }, seconds)
    },
  }
}

/** A read that clients wait for, and a write that wakes them all. */
interface Watched {
  /** Below `/v1`. */
  readonly path: string
  wake(round: number): Promise<unknown>
}

async function watchToken({ server, tokens }: Field): Promise<Watched> {
  const path = `/acl/token/${(await tokens.accessors(100)).at(-1) ?? ''}`
  return {
    path,
    wake: (round) => call(server, 'PUT', path, { body: { Description: `the update ${round}` } }),
  }
}

async function watchList(field: Field): Promise<Watched> {
  return { ...(await watchToken(field)), path: '/acl/tokens' }
}

async function watchService({ server }: Field): Promise<Watched> {
  await haveInstances(server)
  return { path: WATCHED_PATH, wake: (round) => changeWatched(server, round) }
}

function waiting(name: string, count: number, watch: (field: Field) => Promise<Watched>): Row {
  return {
    name,
    unit: 'ms',
    prepare: ({ tokens }) => tokens.have(100),
    async round(field, { round }) {
      const { server } = field
      const { path, wake } = await watch(field)
      const { index } = await call(server, 'GET', path)
      const requests = waitingRequests(server, `/v1${path}`, index)
      return async () => {
        const { p50Ms, p99Ms } = await measureWaiters(server, { count, ...requests, wake: () => wake(round) })
        return { value: p50Ms, p99Ms, answers: count }
      }
    },
  }
}

function read(accessor: string): LoadRequest {
  return { method: 'GET', path: `/v1/acl/token/${accessor}` }
}

function update(accessor: string): LoadRequest {
  return { method: 'PUT', path: `/v1/acl/token/${accessor}`, body: '{"Description":"an updated token"}' }
}

function checksOf(policies: number): string {
  return JSON.stringify(
    Array.from({ length: CHECKS }, (_, i) => ({
      Resource: i % 2 === 0 ? 'key' : 'service',
      Segment: i % 2 === 0 ? `app${i % policies}/item` : `service${i % policies}`,
      Access: i % 3 === 0 ? 'write' : 'read',
    })),
  )
}
