/**
 * COH-05, COH-06: many clients wait for changes with every kind of read while processes are killed and change feeds are cut.
 * Each client must get the stored state soon after it was written, no index may decrease, and no watcher may be woken without
 * a newer index.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Policy, Token } from '@latchkey/contract'
import { SeededRandom } from '@latchkey/testkit/random'
import { type Gateway, jsonOf, NoAnswer, type Reply } from '../harness/gateway.ts'
import { faultsOnDemand, serverFaults } from '../harness/nemesis.ts'
import { MANAGEMENT, startServerGroup } from '../harness/server-group.ts'

interface WatchesResult {
  readonly watchers: number
  readonly changes: number
  readonly faults: Readonly<Record<string, number>>
  /** Watchers whose last answer still differed from the stored state at the deadline. */
  readonly stale: number
  /** The distinct reads of these watchers. */
  readonly staleReads: readonly string[]
  /** Time until the last watcher had the final state, in milliseconds. */
  readonly lastMs: number
  /** Spurious wake-ups: the index was not above the requested one, and the wait was not over. */
  readonly vain: number
  /** Answers with an index, and how many had a lower one than the previous answer to the same client. */
  readonly indexes: number
  readonly falls: number
}

export function areWatchesProven({ stale, falls, vain }: WatchesResult): boolean {
  return stale === 0 && falls === 0 && vain === 0
}

/** A watched read. */
interface Read {
  readonly kind: string
  readonly path: string
  readonly token: string
}

/** A record to change: a token or a key, by its position. */
interface Subject {
  readonly table: 'token' | 'key'
  readonly place: number
}

interface Watcher {
  readonly read: Read
  known: string
  index: number
}

/** Longer than the run, so that a watcher that misses a change never sees it. */
const WAIT = '600s'
const RETRY_MS = 20
/** Hundreds of watchers that retried sooner would slow down the start of a process. */
const WATCHER_RETRY_MS = 200
/** Pause between two reads of a sampler. */
const SAMPLE_MS = 10
/** Maximum time until a watcher has the final state: a poll without change feed, on a busy machine. */
const KNOWN_MS_MAX = 60_000
/** Minimum subjects of each table: enough that no change concerns all watchers. */
const PLACES_MIN = 20
const WATCHERS_PER_PLACE = 10
const GROUPS = 4
/** Bursts of changes, each followed by a comparison: otherwise a later change could hide a lost one. */
const BURSTS = 20
const WRITERS = 8

export async function proveWatches(options: {
  readonly databaseUrl: string
  readonly seed: number
  readonly servers?: number
  readonly watchers: number
  readonly changes: number
  /** Number of changes per fault. */
  readonly changesPerFault: number
}): Promise<WatchesResult> {
  const { databaseUrl, seed, changes, changesPerFault } = options
  const random = new SeededRandom(seed)
  const group = await startServerGroup({ databaseUrl, count: options.servers ?? 3 })
  const { gateways } = group
  const leaving = new AbortController()
  try {
    const places = Math.max(PLACES_MIN, Math.ceil(options.watchers / WATCHERS_PER_PLACE))
    const world = await makeWorld(gateways, places)
    const reads = readsOf(world, places)
    const watchers = Array.from({ length: options.watchers }, (_, i): Watcher => {
      return { read: readFor(reads, i), known: '', index: 0 }
    })
    const counted = { indexes: 0, falls: 0, vain: 0 }
    const context = { gateways, signal: leaving.signal, counted }
    const watching = watchers.map((watcher, i) => watch(watcher, { ...context, place: i }))
    const sampling = gateways.map((gateway) => sample(gateway, context))
    const faultRandom = new SeededRandom(seed + 1)
    const { kill, cut } = serverFaults({ group, databaseUrl, random: faultRandom })
    const nemesis = faultsOnDemand({ faults: { kill, cut }, random: faultRandom })
    const change = (subject: Subject, text: string) => write({ gateways, world, subject, text })
    const burst = Math.ceil(changes / BURSTS)
    const stale: Watcher[] = []
    for (let done = 0; done < changes && stale.length === 0; done += burst) {
      const subjects = Array.from({ length: Math.min(burst, changes - done) }, () => aSubject(random, places))
      const next = subjects.entries()
      const writer = async () => {
        for (const [i, subject] of next) {
          const n = done + i
          const isMet = n % changesPerFault === 0
          await Promise.all([change(subject, `change ${n}`), isMet && nemesis.strike()])
        }
      }
      await Promise.all(Array.from({ length: WRITERS }, writer))
      stale.push(...(await untilKnown(watchers, await storedIn(gateways, reads.flat()))).stale)
    }
    const stored = await storedIn(gateways, reads.flat())
    const { lastMs } = await untilKnown(watchers, stored)
    leaving.abort()
    await Promise.all([...watching, ...sampling])
    return {
      watchers: watchers.length,
      changes,
      faults: nemesis.counts,
      stale: stale.length,
      staleReads: [...new Set(stale.map(({ read }) => `${read.kind} ${read.path}`))],
      lastMs,
      ...counted,
    }
  } finally {
    leaving.abort()
    await group.stop()
  }
}

interface World {
  /** By position; the tokens of one group link the same policy. */
  readonly tokens: readonly Token[]
  /** By group. */
  readonly policies: readonly Policy[]
}

async function makeWorld(gateways: readonly Gateway[], places: number): Promise<World> {
  const put = async <T>(path: string, body: object, n: number) => {
    const gateway = gateways[n % gateways.length] as Gateway
    return jsonOf<T>(await gateway.ask({ method: 'PUT', path, token: MANAGEMENT, body }))
  }
  const policies: Policy[] = []
  for (let n = 0; n < GROUPS; n += 1) policies.push(await put('/acl/policy', { Name: `group-${n}` }, n))
  const tokens: Token[] = []
  for (let n = 0; n < places; n += 1) {
    const Policies = [{ ID: policies[n % GROUPS]?.ID }]
    tokens.push(await put('/acl/token', { Description: 'first', Policies }, n))
    await put(keyPath(n), {}, n)
  }
  return { tokens, policies }
}

/** The keys of one group form a tree. */
function keyPath(place: number): string {
  return `/kv/group-${place % GROUPS}/${place}`
}

/** By kind. */
function readsOf({ tokens, policies }: World, places: number): readonly (readonly Read[])[] {
  const byManager = { token: MANAGEMENT }
  const groups = policies.map(({ ID }, group) => ({ ID, tree: `/kv/group-${group}/` }))
  return [
    tokens.map(({ SecretID }) => ({ kind: 'token', path: '/acl/token/self', token: SecretID })),
    groups.map(({ ID }) => ({ kind: 'filtered list', path: `/acl/tokens?policy=${ID}`, ...byManager })),
    groups.map(({ tree }) => ({ kind: 'tree', path: `${tree}?recurse`, ...byManager })),
    groups.map(({ tree }) => ({ kind: 'names', path: `${tree}?keys`, ...byManager })),
    Array.from({ length: places }, (_, place) => ({
      kind: 'key',
      path: `${keyPath(place)}?raw`,
      ...byManager,
    })),
    [{ kind: 'list', path: '/acl/tokens', ...byManager }],
  ]
}

/** Half of the watchers watch one record; the others a filtered list, a tree, names, or the whole list. */
const SHARES: readonly number[] = [0, 1, 0, 2, 4, 3, 0, 1, 4, 2, 0, 3, 4, 1, 0, 2, 4, 3, 0, 5]

function readFor(reads: readonly (readonly Read[])[], i: number): Read {
  const ofKind = reads[SHARES[i % SHARES.length] ?? 0] ?? []
  return ofKind[Math.floor(i / SHARES.length + i) % ofKind.length] as Read
}

function aSubject(random: SeededRandom, places: number): Subject {
  return { table: random.pick(['token', 'key'] as const), place: random.below(places) }
}

interface WatchContext {
  readonly gateways: readonly Gateway[]
  readonly signal: AbortSignal
  readonly counted: { indexes: number; falls: number; vain: number }
  /** The first process to ask; after a failure it asks the next one. */
  readonly place: number
}

async function watch(watcher: Watcher, { gateways, signal, counted, place }: WatchContext): Promise<void> {
  const { path, token } = watcher.read
  for (let at = place; !signal.aborted; ) {
    const gateway = gateways[at % gateways.length] as Gateway
    const query = `${path.includes('?') ? '&' : '?'}index=${watcher.index}&wait=${WAIT}`
    try {
      const reply = await gateway.ask({ method: 'GET', path: path + query, token, signal })
      if (!isAnswer(reply)) throw new NoAnswer(reply.text, false)
      take(watcher, reply, counted)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      at += 1
      await sleep(WATCHER_RETRY_MS)
    }
  }
}

/** A missing record can be watched, too. */
function isAnswer({ status, index }: Reply): boolean {
  return status === 200 || (status === 404 && index > 0)
}

function take(watcher: Watcher, reply: Reply, counted: WatchContext['counted']): void {
  counted.indexes += 1
  if (reply.index < watcher.index) counted.falls += 1
  if (reply.index === watcher.index) counted.vain += 1
  watcher.index = reply.index
  watcher.known = `${reply.status} ${reply.text}`
}

/** Reads from one process without waiting, through its restarts, in each mode in turn. */
async function sample(gateway: Gateway, { signal, counted }: Omit<WatchContext, 'place'>): Promise<void> {
  let highest = 0
  for (let n = 0; !signal.aborted; n += 1) {
    const mode = ['', 'stale', 'consistent'][n % 3]
    const reply = await gateway
      .ask({ method: 'GET', path: `/acl/token/self?${mode}`, token: MANAGEMENT, signal })
      .catch(() => undefined)
    if (reply?.status === 200) {
      counted.indexes += 1
      if (reply.index < highest) counted.falls += 1
      highest = Math.max(highest, reply.index)
    }
    await sleep(SAMPLE_MS)
  }
}

/** Retries a write until it is acknowledged. */
async function write(options: {
  readonly gateways: readonly Gateway[]
  readonly world: World
  readonly subject: Subject
  readonly text: string
}): Promise<void> {
  const { gateways, world, subject, text } = options
  for (let attempt = 1; ; attempt += 1) {
    const reply = await (gateways[attempt % gateways.length] as Gateway)
      .ask({ ...requestOf(world, subject, text), token: MANAGEMENT })
      .catch(() => undefined)
    if (reply?.status === 200) return
    await sleep(RETRY_MS)
  }
}

/** Creates and deletes a key, so that names change, too. */
function requestOf({ tokens, policies }: World, { table, place }: Subject, text: string) {
  if (table === 'token') {
    const Policies = [{ ID: policies[place % GROUPS]?.ID }]
    return {
      method: 'PUT',
      path: `/acl/token/${tokens[place]?.AccessorID}`,
      body: { Description: text, Policies },
    } as const
  }
  const isGone = /[37]$/.test(text)
  return isGone
    ? ({ method: 'DELETE', path: keyPath(place) } as const)
    : ({ method: 'PUT', path: keyPath(place), body: text } as const)
}

/** The current result of each read. */
async function storedIn(gateways: readonly Gateway[], reads: readonly Read[]): Promise<Map<Read, string>> {
  const storedBy = async (read: Read): Promise<[Read, string]> => {
    const path = `${read.path}${read.path.includes('?') ? '&' : '?'}consistent`
    for (let at = 0; ; at += 1) {
      const gateway = gateways[at % gateways.length] as Gateway
      const reply = await gateway.ask({ method: 'GET', path, token: read.token }).catch(() => undefined)
      if (reply && isAnswer(reply)) return [read, `${reply.status} ${reply.text}`]
      await sleep(RETRY_MS)
    }
  }
  return new Map(await Promise.all(reads.map(storedBy)))
}

/** Waits until all watchers have the stored state, or until the deadline. */
async function untilKnown(watchers: readonly Watcher[], stored: ReadonlyMap<Read, string>) {
  const startedAt = performance.now()
  for (;;) {
    const stale = watchers.filter(({ read, known }) => known !== stored.get(read))
    const lastMs = Math.round(performance.now() - startedAt)
    if (stale.length === 0 || lastMs > KNOWN_MS_MAX) return { stale, lastMs }
    await sleep(5)
  }
}
