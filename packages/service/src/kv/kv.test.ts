import { type KvEntry, limits } from '@latchkey/contract'
import { type AskOptions, aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test } from 'vitest'

let world: World
beforeEach(async () => {
  world = await aWorld()
})

const ask = (method: string, path: string, body?: unknown, options: AskOptions = {}) =>
  world.ask(method, path, { token: MANAGEMENT, ...options, body })

const entriesOf = async (path: string) => (await ask('GET', path)).json as readonly KvEntry[]

describe('reading and writing (issue: key-value store)', () => {
  test('the shape of an entry, in its order', async () => {
    expect((await ask('PUT', '/kv/a/b?flags=42', 'héllo')).text).toBe('true')
    const index = world.store.tableIndex('kv')
    const [entry] = await entriesOf('/kv/a/b')
    expect(entry).toEqual({
      LockIndex: 0,
      Key: 'a/b',
      Flags: 42,
      Value: btoa(String.fromCharCode(...new TextEncoder().encode('héllo'))),
      CreateIndex: index,
      ModifyIndex: index,
    })
    expect(Object.keys(entry ?? {})).toEqual([
      'LockIndex',
      'Key',
      'Flags',
      'Value',
      'CreateIndex',
      'ModifyIndex',
    ])
  })

  test('an empty value is null; bytes come back as they were, however many', async () => {
    await ask('PUT', '/kv/a')
    expect((await entriesOf('/kv/a'))[0]?.Value).toBeNull()
    const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) % 256)
    await ask('PUT', '/kv/a', bytes)
    const value = atob((await entriesOf('/kv/a'))[0]?.Value ?? '')
    expect(Uint8Array.from(value, (char) => char.charCodeAt(0))).toEqual(bytes)
  })

  test('raw is the value alone, and nothing else is', async () => {
    await ask('PUT', '/kv/a', '<script>')
    const reply = await ask('GET', '/kv/a?raw')
    expect(reply.text).toBe('<script>')
    expect(reply.headers['Content-Type']).toBe('application/octet-stream')
  })

  test('a write keeps CreateIndex and replaces flags', async () => {
    await ask('PUT', '/kv/a?flags=5', 'one')
    const [first] = await entriesOf('/kv/a')
    await ask('PUT', '/kv/a', 'two')
    const [second] = await entriesOf('/kv/a')
    expect(second).toMatchObject({ Flags: 0, CreateIndex: first?.CreateIndex })
    expect(second?.ModifyIndex).toBeGreaterThan(first?.ModifyIndex ?? 0)
  })

  test('404, with an empty text, for what is not there; true for deleting it', async () => {
    expect(await ask('GET', '/kv/a')).toMatchObject({ status: 404, code: 'not_found', text: '' })
    expect((await ask('DELETE', '/kv/a')).text).toBe('true')
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

  test('a value of 512 KiB passes, one byte more does not', async () => {
    const value = new Uint8Array(limits.KV_VALUE_BYTES_MAX + 1)
    expect((await ask('PUT', '/kv/a', value.subarray(1))).status).toBe(200)
    expect(await ask('PUT', '/kv/a', value)).toMatchObject({ status: 413, code: 'body_too_large' })
  })

  test.each([
    ['flags=-1', 'query_invalid'],
    ['flags=1.5', 'query_invalid'],
    ['flags=9007199254740992', 'query_invalid'],
    ['cas=x', 'query_invalid'],
    ['acquire=s', 'session_unsupported'],
    ['release', 'session_unsupported'],
  ])('PUT ?%s: %s', async (query, code) => {
    expect((await ask('PUT', `/kv/a?${query}`, 'x')).code).toBe(code)
  })
})

describe('cas', () => {
  test('0 writes what is not there, an index what has it; false changes nothing', async () => {
    expect((await ask('PUT', '/kv/a?cas=0', 'one')).text).toBe('true')
    expect((await ask('PUT', '/kv/a?cas=0', 'two')).text).toBe('false')
    const [first] = await entriesOf('/kv/a')
    const index = first?.ModifyIndex ?? 0
    expect((await ask('PUT', `/kv/a?cas=${index - 1}`, 'two')).text).toBe('false')
    expect(await entriesOf('/kv/a')).toEqual([first])
    expect((await ask('PUT', `/kv/a?cas=${index}`, 'two')).text).toBe('true')
    expect((await ask('GET', '/kv/a?raw')).text).toBe('two')
  })

  test('COH-09: of 32 writes on one index, one is true', async () => {
    await ask('PUT', '/kv/a', 'zero')
    const [{ ModifyIndex } = { ModifyIndex: 0 }] = await entriesOf('/kv/a')
    const replies = await Promise.all(
      Array.from({ length: 32 }, (_, i) => ask('PUT', `/kv/a?cas=${ModifyIndex}`, `${i}`)),
    )
    expect(replies.filter(({ text }) => text === 'true')).toHaveLength(1)
    expect(replies.filter(({ text }) => text === 'false')).toHaveLength(31)
  })

  test('delete: an index that does not hold is false; cas=0 and recurse with cas are refused', async () => {
    await ask('PUT', '/kv/a', 'x')
    expect((await ask('DELETE', '/kv/a?cas=1')).text).toBe('false')
    expect((await ask('DELETE', '/kv/a?cas=0')).code).toBe('query_invalid')
    expect((await ask('DELETE', '/kv/?recurse&cas=1')).code).toBe('query_invalid')
    const [{ ModifyIndex } = { ModifyIndex: 0 }] = await entriesOf('/kv/a')
    expect((await ask('DELETE', `/kv/a?cas=${ModifyIndex}`)).text).toBe('true')
    expect((await ask('GET', '/kv/a')).status).toBe(404)
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

  test('nothing below is 404', async () => {
    expect((await ask('GET', '/kv/zz?recurse')).status).toBe(404)
    expect((await ask('GET', '/kv/zz?keys')).status).toBe(404)
  })

  test('recursive delete: what is below, and nothing beside it', async () => {
    expect((await ask('DELETE', '/kv/a/?recurse')).text).toBe('true')
    expect((await entriesOf('/kv/?recurse')).map(({ Key }) => Key)).toEqual(['a', 'ab', 'b/'])
  })
})

describe('rights (spec 5.4)', () => {
  beforeEach(async () => {
    for (const key of ['pub/1', 'pub/secret', 'priv']) await ask('PUT', `/kv/${key}`, key)
  })

  const RULES = 'key_prefix "pub/" { policy = "read" }\nkey "pub/secret" { policy = "deny" }'

  test('no right is 403, whether the key is there or not; below 1.0 it is 404', async () => {
    const token = await world.secretWith(RULES)
    for (const key of ['priv', 'missing', 'pub/secret']) {
      expect(await ask('GET', `/kv/${key}`, undefined, { token })).toMatchObject({
        status: 403,
        code: 'privilege_missing',
      })
    }
    const old = await aWorld({ version: '0.9.3' })
    expect(await old.ask('GET', '/kv/priv')).toMatchObject({ status: 404, code: 'not_found' })
    expect((await old.ask('PUT', '/kv/priv', { body: 'x' })).status).toBe(403)
  })

  test('trees and names show what may be read; where that is nothing, 404 and an empty list', async () => {
    const token = await world.secretWith(RULES)
    const shown = (await ask('GET', '/kv/?recurse', undefined, { token })).json as readonly KvEntry[]
    expect(shown.map(({ Key }) => Key)).toEqual(['pub/1'])
    expect((await ask('GET', '/kv/?keys', undefined, { token })).json).toEqual(['pub/1'])
    const powerless = (await world.token()).SecretID
    expect((await ask('GET', '/kv/?recurse', undefined, { token: powerless })).status).toBe(404)
    expect((await ask('GET', '/kv/?keys', undefined, { token: powerless })).json).toEqual([])
  })

  test('writing and deleting need write, deleting a tree all of it', async () => {
    const token = await world.secretWith(
      'key_prefix "pub/" { policy = "write" }\nkey "pub/secret" { policy = "read" }',
    )
    expect((await ask('PUT', '/kv/pub/1', 'x', { token })).text).toBe('true')
    expect((await ask('PUT', '/kv/priv', 'x', { token })).status).toBe(403)
    expect((await ask('DELETE', '/kv/pub/secret', undefined, { token })).status).toBe(403)
    expect((await ask('DELETE', '/kv/pub/?recurse', undefined, { token })).status).toBe(403)
    expect((await ask('DELETE', '/kv/pub/1', undefined, { token })).text).toBe('true')
    const owner = await world.secretWith('key_prefix "pub/" { policy = "write" }')
    expect((await ask('DELETE', '/kv/pub/?recurse', undefined, { token: owner })).text).toBe('true')
    expect((await ask('DELETE', '/kv/?recurse', undefined, { token: owner })).status).toBe(403)
  })
})
