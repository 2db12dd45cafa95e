/** A list is rendered once and shared. MEM-02, COH-07. */
import { expect, test } from 'vitest'
import { ListCache, type ListRequest } from './cached-token-lists.ts'
import type { CachedList } from './token-list-parts.ts'

const MIB = 1_048_576
const FOREVER = Number.POSITIVE_INFINITY

/** Builds lists of a length, and counts the builds; each build waits for `finish`. */
function aMaker(bytes: number, validUntil = FOREVER) {
  const gates: ((problem?: Error) => void)[] = []
  return {
    get count() {
      return gates.length
    },
    make: () =>
      new Promise<CachedList | undefined>((resolve, reject) => {
        gates.push((problem) =>
          problem ? reject(problem) : resolve({ bytes: new Uint8Array(bytes), validUntil }),
        )
      }),
    finish(problem?: Error) {
      gates.at(-1)?.(problem)
    },
  }
}

function asked(version = '1', now = 0, key = 'all'): ListRequest {
  return { key, version, now }
}

test('concurrent and later callers get the list that is being built', async () => {
  const cache = new ListCache(MIB)
  const maker = aMaker(10)
  const answers = Array.from({ length: 1_000 }, () => cache.whole(asked(), maker.make))
  maker.finish()
  const lists = await Promise.all(answers)
  expect(new Set(lists).size).toBe(1)
  expect(await cache.whole(asked(), maker.make)).toBe(lists[0])
  expect(maker.count).toBe(1)
})

test('another version is built, even while an older one is in flight', async () => {
  const cache = new ListCache(MIB)
  const [old, young] = [aMaker(10), aMaker(20)]
  const first = cache.whole(asked('1'), old.make)
  const second = cache.whole(asked('2'), young.make)
  young.finish()
  old.finish()
  expect((await first)?.bytes.length).toBe(10)
  expect((await second)?.bytes.length).toBe(20)
  expect([old.count, young.count]).toEqual([1, 1])
})

test('a list is not returned to a caller for whom one of its tokens has expired', async () => {
  const cache = new ListCache(MIB)
  const [before, after] = [aMaker(20, 5), aMaker(10)]
  const early = cache.whole(asked('1', 4), before.make)
  const late = cache.whole(asked('1', 5), after.make)
  before.finish()
  expect((await early)?.bytes.length).toBe(20)
  await Promise.resolve()
  after.finish()
  expect((await late)?.bytes.length).toBe(10)
})

test('a list that could not be built fails for all waiting callers, and the next one retries', async () => {
  const cache = new ListCache(MIB)
  const maker = aMaker(10)
  const both = [cache.whole(asked(), maker.make), cache.whole(asked(), maker.make)]
  maker.finish(new Error('the database is away'))
  for (const one of both) await expect(one).rejects.toThrow('the database is away')
  const again = cache.whole(asked(), maker.make)
  maker.finish()
  expect((await again)?.bytes.length).toBe(10)
  expect(maker.count).toBe(2)
})

test('a list that was too long is streamed at once, until a stream of it turns out short', async () => {
  const cache = new ListCache(MIB)
  let count = 0
  const make = async () => {
    count += 1
    return undefined
  }
  for (const version of ['1', '1', '2']) expect(await cache.whole(asked(version), make)).toBeUndefined()
  expect(count).toBe(1)
  cache.noteStreamed('all', cache.wholeBytesMax + 1)
  expect(await cache.whole(asked('3'), make)).toBeUndefined()
  expect(count).toBe(1)
  cache.noteStreamed('all', cache.wholeBytesMax)
  expect(await cache.whole(asked('4'), make)).toBeUndefined()
  expect(count).toBe(2)
})

test('memory is bounded: the least recently used list is evicted, and no list takes more than half', async () => {
  const cache = new ListCache(10 * MIB)
  const makers = { a: aMaker(4 * MIB), b: aMaker(4 * MIB), c: aMaker(4 * MIB), d: aMaker(5 * MIB + 1) }
  const read = async (key: keyof typeof makers) => {
    const list = cache.whole(asked('1', 0, key), makers[key].make)
    makers[key].finish()
    await list
    return makers[key].count
  }
  expect([await read('a'), await read('b'), await read('a'), await read('c')]).toEqual([1, 1, 1, 1])
  expect([await read('a'), await read('c'), await read('b')]).toEqual([1, 1, 2])
  expect([await read('d'), await read('d')]).toEqual([1, 2])
})

test('DOS-05: empty lists of distinct filters count against the bound', async () => {
  const cache = new ListCache(MIB)
  const make = async () => ({ bytes: new Uint8Array(2), validUntil: FOREVER })
  const keys = Array.from({ length: 5_000 }, (_, i) => `${i}`.padEnd(1_000, 'x'))
  for (const key of keys) await cache.whole(asked('1', 0, key), make)
  const kept: string[] = []
  for (const key of keys) {
    if (await cache.whole(asked('1', 0, key), async () => undefined)) kept.push(key)
  }
  // At least a kilobyte for the key in each.
  expect(kept.length).toBeGreaterThan(100)
  expect(kept.length).toBeLessThan(1_000)
  expect(kept.at(-1)).toBe(keys.at(-1))
})

test('DOS-05: only the last thousand lists that were too long are remembered', async () => {
  const cache = new ListCache(MIB)
  let count = 0
  const make = async () => {
    count += 1
    return undefined
  }
  for (let i = 0; i < 5_000; i += 1) await cache.whole(asked('1', 0, `${i}`), make)
  expect(count).toBe(5_000)
  for (let i = 4_000; i < 5_000; i += 1) await cache.whole(asked('1', 0, `${i}`), make)
  expect(count).toBe(5_000)
  await cache.whole(asked('1', 0, '0'), make)
  expect(count).toBe(5_001)
})

test('with a bound of 0 nothing is cached, and lists are still answered in one piece', async () => {
  const cache = new ListCache(0)
  const maker = aMaker(10)
  for (const count of [1, 2]) {
    const list = cache.whole(asked(), maker.make)
    maker.finish()
    expect((await list)?.bytes.length).toBe(10)
    expect(maker.count).toBe(count)
  }
})
