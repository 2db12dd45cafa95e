/**
 * Fills one cache with distinct keys, in a separate process: `node --expose-gc --max-old-space-size=… attacks.ts <name>`.
 * Prints how many bytes the cache reports in the end, and how many it really retains.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Topic } from '@latchkey/service'
import { anId } from '@latchkey/testkit/records/record-builders'
import { LocalState } from '../../src/storage/follow/local-state.ts'
import { TopicIndexes } from '../../src/storage/follow/topic-indexes.ts'
import { Waiters } from '../../src/storage/follow/waiters.ts'
import { KvCache, TokenCache } from '../../src/storage/read/caches.ts'
import { KvReader, type KvReaderParts } from '../../src/storage/read/kv-reader.ts'
import { storeBytes } from '../../src/storage/read/stored-text.ts'

/** The cache after an attack, referenced so that it is not collected, and the size that it reports, if any. */
interface Filled {
  cache: object | undefined
  readonly accountedBytes?: number
}

const HEADER_LENGTH = 15_000
const KEY_LENGTH = 2_000
export const CACHE_BYTES = 8_388_608
const COLLECTIONS = 8
const COLLECTION_PAUSE = 30

const hashOf = (i: number) => i.toString(16).padStart(64, '0')

/** A slice of a long text, like one from a header, a URL or a body. */
function partOf(text: string, length: number): string {
  return `${text}${' '.repeat(length - text.length)}`.slice(0, text.length)
}

function filled(cache: TokenCache): Filled {
  return { cache, accountedBytes: cache.usedBytes }
}

async function readKeys(rowOf: (key: string, i: number) => unknown, keys: number): Promise<Filled> {
  let reads = 0
  const cache = new KvCache(CACHE_BYTES)
  const state = new LocalState({
    tokens: new TokenCache(0),
    keys: cache,
    waiters: new Waiters(),
    onMembers: () => {},
  })
  const queries = {
    kvEntry: async (_namespace: string, key: string) => {
      reads += 1
      return { index: 0, value: rowOf(key, reads) }
    },
  }
  const parts = { queries, state, follower: { reach: async () => {} }, cache }
  const reader = new KvReader(parts as unknown as KvReaderParts)
  for (let i = 0; i < keys; i += 1) await reader.entry('default', partOf(`${i}`.padStart(20, 'k'), 8_000))
  return { cache: reader, accountedBytes: cache.usedBytes }
}

export const ATTACKS = {
  'unknown secrets in long headers': () => {
    const cache = new TokenCache(CACHE_BYTES)
    for (let i = 0; i < 8_000; i += 1) cache.addAbsentSecret(partOf(anId(i), HEADER_LENGTH), hashOf(i))
    return filled(cache)
  },
  'unknown secrets of maximum length': () => {
    const cache = new TokenCache(CACHE_BYTES)
    for (let i = 0; i < 50_000; i += 1) cache.addAbsentSecret(`${i}`.padStart(512, '\u20ac'), hashOf(i))
    return filled(cache)
  },
  'unknown accessors in long URLs': () => {
    const cache = new TokenCache(CACHE_BYTES)
    for (let i = 0; i < 15_000; i += 1) cache.addAbsentAccessor(partOf(anId(i), 8_000))
    return filled(cache)
  },
  'absent keys in long URLs': () => readKeys(() => null, 15_000),
  'keys with one-byte values, each read after other data': () =>
    readKeys((key) => {
      // Intermediate reads use up the rest of the pool for small buffers.
      Buffer.from('x'.repeat(3_900))
      const [namespace, value] = ['default', storeBytes(Uint8Array.of(1))]
      const row = { namespace, key: storeBytes(Buffer.from(key)), value, flags: '0', lock_index: 0 }
      return { ...row, create_index: 1, modify_index: 1 }
    }, 15_000),
  'changes of the longest keys': () => {
    const topics = new TopicIndexes(0)
    for (let i = 0; i < 20_000; i += 1) {
      topics.touch(partOf(`kv:default/${i}`.padEnd(KEY_LENGTH, 'k'), 8_000) as Topic, i)
    }
    return { cache: topics }
  },
} satisfies Readonly<Record<string, () => Filled | Promise<Filled>>>

export type AttackName = keyof typeof ATTACKS

export interface Held {
  readonly heldBytes: number
  readonly accountedBytes: number | undefined
}

if (process.argv[1] === import.meta.filename) {
  const attack = ATTACKS[process.argv[2] as AttackName]
  const filled: Filled = await attack()
  const withCache = await memory()
  filled.cache = undefined
  const held: Held = { heldBytes: withCache - (await memory()), accountedBytes: filled.accountedBytes }
  process.stdout.write(JSON.stringify(held))
}

/**
 * Retained memory once collections free nothing more. One collection is not enough: buffers are freed after it, and what a
 * function compiled in the background refers to is freed when its compilation has ended.
 */
async function memory(): Promise<number> {
  let held = Number.POSITIVE_INFINITY
  for (let collection = 0; collection < COLLECTIONS; collection += 1) {
    await sleep(COLLECTION_PAUSE)
    globalThis.gc?.()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    held = Math.min(held, heapUsed + arrayBuffers)
  }
  return held
}
