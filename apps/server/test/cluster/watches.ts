/**
 * COH-05, COH-06: many clients wait for changes while processes are killed and change feeds are cut. Each must come to
 * know the last state soon after it was written, none may be woken in vain again and again, and no index may fall.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Token } from '@latchkey/contract'
import { type Door, jsonOf, NoAnswer, type Reply } from './door.ts'
import { serverFaults, startNemesis } from './nemesis.ts'
import { type SeededRandom, seededRandom } from './seeded-random.ts'
import { MANAGEMENT, startServerGroup } from './server-group.ts'

export interface WatchesResult {
  readonly watchers: number
  readonly changes: number
  readonly faults: Readonly<Record<string, number>>
  /** Watchers that did not know the last state in time. */
  readonly late: number
  /** How long the last watcher took to know the last state, in milliseconds. */
  readonly lastMs: number
  /** Answers that told nothing new: their index was not above the one that was asked for, and the wait was not over. */
  readonly vain: number
  /** Answers to watchers of one token, per change of that token. What changes elsewhere between two waits counts. */
  readonly answersPerChange: number
  /** Answers with an index, and how many of them had a lower one than the answer before, to the same client. */
  readonly indexes: number
  readonly falls: number
}

interface Watcher {
  /** What it watches: a token, or all of them. */
  readonly slot: number | undefined
  known: string
  index: number
  answers: number
}

const TOKENS = 20
/** Longer than the run: whoever misses a change misses it for good. */
const WAIT = '120s'
const RETRY_MS = 20
/** How long a watcher may take to know the last state: a poll of a process that cannot hear, and a busy machine. */
const KNOWN_MS_MAX = 5_000

export async function proveWatches(options: {
  readonly databaseUrl: string
  readonly seed: number
  readonly watchers: number
  readonly changes: number
  readonly faultEveryMs?: number
}): Promise<WatchesResult> {
  const { databaseUrl, seed, changes } = options
  const random = seededRandom(seed)
  const group = await startServerGroup({ databaseUrl, count: 3 })
  const leaving = new AbortController()
  try {
    const tokens = await makeTokens(group.doors)
    const watchers = Array.from({ length: options.watchers }, (_, i) => aWatcher(i))
    const counted = { indexes: 0, falls: 0, vain: 0 }
    const context = { doors: group.doors, tokens, signal: leaving.signal, counted }
    const watching = watchers.map((watcher, i) => watch(watcher, { ...context, place: i }))
    const sampling = group.doors.map((door) => sample(door, context))
    const faultRandom = seededRandom(seed + 1)
    const { kill, cut } = serverFaults({ group, databaseUrl, random: faultRandom })
    const everyMs = options.faultEveryMs ?? 1_000
    const nemesis = startNemesis({ faults: { kill, cut }, random: faultRandom, everyMs })
    const last = new Map<number, string>()
    const made = await makeChanges({ doors: group.doors, tokens, random, changes, last })
    await nemesis.stop()
    // The very last changes come when all is well again, and nothing comes after them.
    for (const slot of tokens.keys()) await change(group.doors, tokens, { slot, text: `last ${slot}`, last })
    const { late, lastMs } = await untilKnown(watchers, last)
    leaving.abort()
    await Promise.all([...watching, ...sampling])
    return {
      watchers: watchers.length,
      changes: changes + tokens.length,
      faults: nemesis.counts,
      late,
      lastMs,
      answersPerChange: answersPerChange(watchers, made),
      ...counted,
    }
  } finally {
    leaving.abort()
    await group.stop()
  }
}

/** Every tenth watches the list. */
function aWatcher(i: number): Watcher {
  return { slot: i % 10 === 0 ? undefined : i % TOKENS, known: '', index: 0, answers: 0 }
}

async function makeTokens(doors: readonly Door[]): Promise<readonly Token[]> {
  const tokens: Token[] = []
  for (let slot = 0; slot < TOKENS; slot += 1) {
    const door = doors[slot % doors.length] as Door
    const body = { Description: 'first' }
    tokens.push(jsonOf<Token>(await door.ask({ method: 'PUT', path: '/acl/token', token: MANAGEMENT, body })))
  }
  return tokens
}

interface WatchContext {
  readonly doors: readonly Door[]
  readonly tokens: readonly Token[]
  readonly signal: AbortSignal
  readonly counted: { indexes: number; falls: number; vain: number }
  /** Where it asks first; after a failure it asks the next process. */
  readonly place: number
}

async function watch(
  watcher: Watcher,
  { doors, tokens, signal, counted, place }: WatchContext,
): Promise<void> {
  const token = watcher.slot === undefined ? undefined : tokens[watcher.slot]
  const path = token ? '/acl/token/self' : '/acl/tokens'
  for (let at = place; !signal.aborted; ) {
    const door = doors[at % doors.length] as Door
    const query = `?index=${watcher.index}&wait=${WAIT}`
    try {
      const reply = await door.ask({
        method: 'GET',
        path: path + query,
        token: token?.SecretID ?? MANAGEMENT,
        signal,
      })
      if (reply.status === 200) take(watcher, reply, counted)
      else throw new NoAnswer(reply.text, false)
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error
      at += 1
      await sleep(RETRY_MS)
    }
  }
}

function take(watcher: Watcher, reply: Reply, counted: WatchContext['counted']): void {
  watcher.answers += 1
  counted.indexes += 1
  if (reply.index < watcher.index) counted.falls += 1
  if (reply.index === watcher.index) counted.vain += 1
  watcher.index = reply.index
  if (watcher.slot === undefined) {
    watcher.known = jsonOf<Token[]>(reply)
      .map(({ Description }) => Description)
      .join()
  } else {
    watcher.known = jsonOf<Token>(reply).Description
  }
}

/** Asks one place without waiting, through every restart of its process, in the modes in turn. */
async function sample(door: Door, { signal, counted }: Omit<WatchContext, 'place'>): Promise<void> {
  let highest = 0
  for (let n = 0; !signal.aborted; n += 1) {
    const mode = ['', 'stale', 'consistent'][n % 3]
    const reply = await door
      .ask({ method: 'GET', path: `/acl/token/self?${mode}`, token: MANAGEMENT, signal })
      .catch(() => undefined)
    if (reply?.status === 200) {
      counted.indexes += 1
      if (reply.index < highest) counted.falls += 1
      highest = Math.max(highest, reply.index)
    }
    await sleep(1)
  }
}

/** @returns how many changes each token had. */
async function makeChanges(options: {
  readonly doors: readonly Door[]
  readonly tokens: readonly Token[]
  readonly random: SeededRandom
  readonly changes: number
  readonly last: Map<number, string>
}): Promise<ReadonlyMap<number, number>> {
  const { doors, tokens, random, changes, last } = options
  const made = new Map<number, number>()
  for (let n = 0; n < changes; n += 1) {
    const slot = random.below(tokens.length)
    const attempts = await change(doors, tokens, { slot, text: `change ${n}`, last })
    made.set(slot, (made.get(slot) ?? 0) + attempts)
  }
  return made
}

/** Writes until it is acknowledged. @returns how often it was tried, each of which may have been done. */
async function change(
  doors: readonly Door[],
  tokens: readonly Token[],
  { slot, text, last }: { readonly slot: number; readonly text: string; readonly last: Map<number, string> },
): Promise<number> {
  const path = `/acl/token/${tokens[slot]?.AccessorID}`
  for (let attempt = 1; ; attempt += 1) {
    const door = doors[attempt % doors.length] as Door
    const reply = await door
      .ask({ method: 'PUT', path, token: MANAGEMENT, body: { Description: text } })
      .catch(() => undefined)
    if (reply?.status === 200) {
      last.set(slot, text)
      return attempt
    }
    await sleep(RETRY_MS)
  }
}

async function untilKnown(watchers: readonly Watcher[], last: ReadonlyMap<number, string>) {
  const startedAt = performance.now()
  const knows = ({ slot, known }: Watcher) =>
    slot === undefined ? [...last.values()].every((text) => known.includes(text)) : known === last.get(slot)
  for (;;) {
    const late = watchers.filter((watcher) => !knows(watcher)).length
    const lastMs = Math.round(performance.now() - startedAt)
    if (late === 0 || lastMs > KNOWN_MS_MAX) return { late, lastMs }
    await sleep(5)
  }
}

function answersPerChange(watchers: readonly Watcher[], made: ReadonlyMap<number, number>): number {
  let [answers, changes] = [0, 0]
  for (const watcher of watchers) {
    if (watcher.slot === undefined) continue
    // The first answer is of what was there already.
    answers += watcher.answers - 1
    changes += (made.get(watcher.slot) ?? 0) + 1
  }
  return Math.round((answers / changes) * 100) / 100
}
