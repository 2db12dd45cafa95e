import type { KvEntry } from '@latchkey/contract'
import { settle } from '@latchkey/testkit/service/virtual-clock'
import { type AskOptions, aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

let world: World
beforeEach(async () => {
  world = await aWorld()
})

const ask = (method: string, path: string, body?: unknown, options: AskOptions = {}) =>
  world.ask(method, path, { token: MANAGEMENT, ...options, body })

const entriesOf = async (path: string) => (await ask('GET', path)).json as readonly KvEntry[]

describe('reading and writing', () => {
  test('an empty value is null; bytes are returned unchanged at any length', async () => {
    await ask('PUT', '/kv/a')
    expect((await entriesOf('/kv/a'))[0]?.Value).toBeNull()
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) % 256)
    await ask('PUT', '/kv/a', bytes)
    const value = atob((await entriesOf('/kv/a'))[0]?.Value ?? '')
    expect(Uint8Array.from(value, (char) => char.charCodeAt(0))).toEqual(bytes)
  })

  test('DOS-05: at most two long values are read from the store at a time', async () => {
    await ask('PUT', '/kv/a', new Uint8Array(100_000))
    const { store } = world
    const kvEntry = store.kvEntry.bind(store)
    let [reads, most] = [0, 0]
    store.kvShortEntry = async () => 'long'
    store.kvEntry = async (namespace, key) => {
      reads += 1
      most = Math.max(most, reads)
      await settle()
      reads -= 1
      return kvEntry(namespace, key)
    }
    const answers = await Promise.all(Array.from({ length: 10 }, () => entriesOf('/kv/a')))
    expect(answers.map(([entry]) => entry?.Value?.length)).toEqual(Array(10).fill(133_336))
    expect(most).toBeLessThanOrEqual(2)
  })

  test.each([
    ['GET', '/kv/'],
    ['PUT', '/kv/'],
    ['DELETE', '/kv'],
  ])('%s %s: id_missing', async (method, path) => {
    expect(await ask(method, path, 'x')).toMatchObject({ status: 400, code: 'id_missing' })
  })

  test('a key of 2,048 bytes passes, one more does not', async () => {
    const key = (bytes: number) => `/kv/${'é'.repeat(bytes / 2 - 1)}${'x'.repeat(2 + (bytes % 2))}`
    expect((await ask('PUT', encodeURI(key(2_048)), 'x')).status).toBe(200)
    expect((await ask('PUT', encodeURI(`${key(2_048)}x`), 'x')).code).toBe('field_too_long')
  })

  test.each([
    ['flags=0x1', 'query_invalid'],
    ['cas=x', 'query_invalid'],
    ['cas=', 'query_invalid'],
    ['flags', 'query_invalid'],
    ['release=', 'id_missing'],
    ['acquire=s', 'id_invalid'],
    ['acquire', 'id_missing'],
    ['acquire=s&release=s', 'query_invalid'],
    ['release=s&cas=0', 'query_invalid'],
  ])('PUT ?%s: %s', async (query, code) => {
    expect((await ask('PUT', `/kv/a?${query}`, 'x')).code).toBe(code)
  })
})

describe('cas', () => {
  test('COH-09: of 32 writes with the same index, exactly one is true', async () => {
    await ask('PUT', '/kv/a', 'zero')
    const [{ ModifyIndex } = { ModifyIndex: 0 }] = await entriesOf('/kv/a')
    const replies = await Promise.all(
      Array.from({ length: 32 }, (_, i) => ask('PUT', `/kv/a?cas=${ModifyIndex}`, `${i}`)),
    )
    expect(replies.filter(({ text }) => text === 'true')).toHaveLength(1)
    expect(replies.filter(({ text }) => text === 'false')).toHaveLength(31)
  })
})

describe('trees', () => {
  beforeEach(async () => {
    for (const key of ['a', 'a/1', 'a/2/x', 'a/2/y', 'ab', 'b/']) await ask('PUT', `/kv/${key}`, key)
  })

  test.each([
    ['/kv/?recurse', ['a', 'a/1', 'a/2/x', 'a/2/y', 'ab', 'b/']],
    ['/kv?recurse', ['a', 'a/1', 'a/2/x', 'a/2/y', 'ab', 'b/']],
    ['/kv/a?recurse', ['a', 'a/1', 'a/2/x', 'a/2/y', 'ab']],
    ['/kv/a/?recurse', ['a/1', 'a/2/x', 'a/2/y']],
  ])('GET %s', async (path, keys) => {
    expect((await entriesOf(path)).map(({ Key }) => Key)).toEqual(keys)
  })

  test.each([
    ['/kv/?keys', ['a', 'a/1', 'a/2/x', 'a/2/y', 'ab', 'b/']],
    ['/kv/?keys&separator=/', ['a', 'a/', 'ab', 'b/']],
    ['/kv/a/?keys&separator=/', ['a/1', 'a/2/']],
    ['/kv/a?keys&separator=/', ['a', 'a/', 'ab']],
    ['/kv/a/?keys&separator=2', ['a/1', 'a/2']],
    ['/kv/?keys&separator=', ['a', 'a/1', 'a/2/x', 'a/2/y', 'ab', 'b/']],
  ])('GET %s', async (path, names) => {
    expect((await ask('GET', path)).json).toEqual(names)
  })

  test('no keys below the prefix: 404', async () => {
    expect((await ask('GET', '/kv/zz?recurse')).status).toBe(404)
    expect((await ask('GET', '/kv/zz?keys')).status).toBe(404)
  })
})
