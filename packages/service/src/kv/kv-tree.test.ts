/** Trees of keys of any size, for callers with any rights. DOS-05. */

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { KvEntry } from '@latchkey/contract'
import { putOf } from '@latchkey/testkit/records/changes'
import { aKey } from '@latchkey/testkit/records/record-builders'
import { settle } from '@latchkey/testkit/service/virtual-clock'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { Change } from '../store/store.ts'

let world: World
beforeEach(async () => {
  world = await aWorld()
})

const VALUE_BYTES = 600

function putKey(Key: string, fill = 1): Change {
  const record = aKey({ Key, Value: new Uint8Array(VALUE_BYTES).fill(fill) })
  return putOf('kv', record)
}

/** Writes pages of 1,000 keys to the memory store. */
function fill(prefix: string, count: number): void {
  world.store.commitNow(
    Array.from({ length: count }, (_, n) => putKey(`${prefix}${n.toString().padStart(5, '0')}`)),
  )
}

/** Counts the entries and keys that the store returns from now on. */
function countReads() {
  const counts = { entries: 0, keys: 0 }
  const { store } = world
  const [entries, keys] = [store.kvEntries.bind(store), store.kvKeys.bind(store)]
  store.kvEntries = async function* (range) {
    for await (const page of entries(range)) {
      counts.entries += page.length
      yield page
    }
  }
  store.kvKeys = async function* (range) {
    for await (const page of keys(range)) {
      counts.keys += page.length
      yield page
    }
  }
  return counts
}

/** Makes each page of entries a snapshot of its own, as in a database. */
function readPageByPage(): void {
  const { store } = world
  const own = store.kvEntries.bind(store)
  store.kvEntries = async function* (range) {
    let after = range.after ?? ''
    for (;;) {
      const { value: page } = await own({ ...range, after, limit: 1_000 }).next()
      if (!page) return
      yield page
      after = page.at(-1)?.Key ?? ''
    }
  }
}

const get = (path: string, token = MANAGEMENT) => world.ask('GET', path, { token })

describe('rights are checked before the store is read', () => {
  const RULES = [
    ['none', ''],
    ['others', 'key_prefix "other/" { policy = "write" }\nkey "tree" { policy = "read" }'],
    ['all below denied', 'key_prefix "" { policy = "read" }\nkey_prefix "tree/" { policy = "deny" }'],
    ['rules of another resource', 'service_prefix "" { policy = "write" }'],
  ] as const

  test.each(RULES)('404 not_found: a tree without a readable key is not read (%s)', async (_what, rules) => {
    fill('tree/', 10)
    const token = await world.secretWith(rules)
    const counts = countReads()
    expect(await get('/kv/tree/?recurse', token)).toMatchObject({ status: 404, code: 'not_found', text: '' })
    expect(counts).toEqual({ entries: 0, keys: 0 })
  })

  test('the anonymous token: nothing is read, and no answer reveals whether keys exist', async () => {
    fill('tree/', 1_500)
    const counts = countReads()
    expect((await world.ask('GET', '/kv/?recurse')).status).toBe(404)
    expect(counts).toEqual({ entries: 0, keys: 0 })
    expect((await world.ask('GET', '/kv/?keys')).text).toBe('[]')
    expect((await world.ask('GET', '/kv/tree?keys')).status).toBe(404)
    expect(counts).toEqual({ entries: 0, keys: 0 })
  })

  test('the list of all names is empty if the store has no keys', async () => {
    expect((await get('/kv/?keys')).text).toBe('[]')
  })

  test('names are listed without reading a value', async () => {
    fill('tree/', 10)
    const counts = countReads()
    expect((await get('/kv/?keys')).json).toHaveLength(10)
    expect(counts.entries).toBe(0)
  })

  test('hidden entries before and after the readable ones are skipped by name', async () => {
    for (const prefix of ['a/', 'b/', 'c/']) fill(prefix, 3_000)
    const token = await world.secretWith('key "b/01500" { policy = "read" }')
    const counts = countReads()
    const shown = (await get('/kv/?recurse', token)).json as readonly KvEntry[]
    expect(shown.map(({ Key }) => Key)).toEqual(['b/01500'])
    expect(counts.entries).toBeLessThanOrEqual(1_000)
  })
})

describe('a long tree is streamed', () => {
  const COUNT = 4_500

  async function open(path: string, token = MANAGEMENT) {
    const reply = await world.service.handle({
      method: 'GET',
      url: `/v1${path}`,
      header: (name) => (name === 'x-service-token' ? token : undefined),
      readBody: async () => new Uint8Array(0),
      requestId: 'request-1',
    })
    const { body } = reply
    if (body === undefined || typeof body === 'string' || !(Symbol.asyncIterator in body)) {
      return expect.fail('not streamed')
    }
    return { reply, pieces: body[Symbol.asyncIterator]() }
  }

  async function rest(pieces: AsyncIterator<string | Uint8Array>): Promise<string> {
    let text = ''
    for (let piece = await pieces.next(); !piece.done; piece = await pieces.next()) text += piece.value
    return text
  }

  test.each(['', '&pretty'])('its bytes form one JSON text (recurse%s)', async (option) => {
    fill('tree/', COUNT)
    const { reply, pieces } = await open(`/kv/tree/?recurse${option}`)
    expect(reply.status).toBe(200)
    expect(reply.headers['X-Service-Index']).toBe(String(world.store.tableIndex('kv')))
    const text = await rest(pieces)
    const entries = JSON.parse(text) as readonly KvEntry[]
    expect(entries).toHaveLength(COUNT)
    expect(text).toBe(option === '' ? JSON.stringify(entries) : `${JSON.stringify(entries, undefined, 4)}\n`)
    expect(entries.map(({ Key }) => Key)).toEqual(entries.map(({ Key }) => Key).sort())
  })

  test('the names form one JSON text, even with a separator across pages', async () => {
    fill(`${'long/'.repeat(60)}`, COUNT)
    const { pieces } = await open('/kv/?keys')
    const text = await rest(pieces)
    expect(text).toBe(JSON.stringify(JSON.parse(text)))
    expect(JSON.parse(text)).toHaveLength(COUNT)
    expect((await get('/kv/?keys&separator=/')).json).toEqual(['long/'])
  })

  test('DOS-05: nothing is read for a reader that has stalled or disconnected', async () => {
    fill('tree/', COUNT)
    const counts = countReads()
    const { pieces } = await open('/kv/tree/?recurse')
    await pieces.next()
    await settle()
    const before = counts.entries
    expect(before).toBeLessThan(COUNT / 2)
    await settle()
    expect(counts.entries).toBe(before)
    await pieces.return?.()
    expect(counts.entries).toBe(before)
  })

  test('DOS-05: no page is kept in memory for a reader that has stopped between two pages', async () => {
    setFlagsFromString('--expose-gc')
    const gc = runInNewContext('gc') as () => void
    fill('tree/', COUNT)
    const heldBytes = () => {
      gc()
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      return heapUsed + arrayBuffers
    }
    const stopped: AsyncIterator<unknown>[] = []
    const addReader = async () => {
      const { pieces } = await open('/kv/tree/?recurse')
      await pieces.next()
      await pieces.next()
      stopped.push(pieces)
    }
    // Leaves out memory that is allocated once for all readers.
    await addReader()
    const before = heldBytes()
    for (let i = 0; i < 5; i += 1) await addReader()
    expect((heldBytes() - before) / 5).toBeLessThan((1_000 * VALUE_BYTES) / 4)
  })

  test('COH-10: later pages show no writes made after the caller lost the right', async () => {
    fill('tree/', COUNT)
    readPageByPage()
    const rules = 'key_prefix "tree/" { policy = "read" }'
    const policy = await world.policy({ Name: 'reader', Rules: rules })
    const { SecretID } = await world.token({ Policies: [{ ID: policy.ID }] })
    const { pieces } = await open('/kv/tree/?recurse', SecretID)
    await pieces.next()
    const denied = 'key_prefix "tree/" { policy = "read" }\nkey_prefix "tree/044" { policy = "deny" }'
    await world.manage('PUT', `/acl/policy/${policy.ID}`, { Name: 'reader', Rules: denied })
    world.store.commitNow([putKey('tree/04400-enemy')])
    const text = await rest(pieces)
    expect(text).toContain('tree/04399')
    expect(text).not.toContain('enemy')
  })

  test('the stream fails if its caller is deleted in the meantime', async () => {
    fill('tree/', COUNT)
    const secret = await world.secretWith('key_prefix "tree/" { policy = "read" }')
    const { pieces } = await open('/kv/tree/?recurse', secret)
    await pieces.next()
    const accessorId = (await world.store.tokenBySecret(secret))?.AccessorID
    await world.manage('DELETE', `/acl/token/${accessorId}`)
    await expect(rest(pieces)).rejects.toMatchObject({ code: 'caller_unknown' })
  })

  test.each([
    ['recurse', putKey('tree/00007', 2), putKey('beside')],
    ['recurse', putKey('tree/04499-more'), putKey('beside')],
    ['keys', putKey('tree/04499-more'), putKey('tree/00007', 2)],
  ])(
    'COH-06: a watcher (%s) is woken by changes to what it sees, and by nothing else',
    async (option, change, other) => {
      // Before it waits, the watcher reads the whole tree.
      const isWaiting = () => vi.waitFor(() => expect(world.clock.waiting).toBe(1), { timeout: 20_000 })
      fill(`tree/`, COUNT)
      if (option === 'keys') fill(`tree/${'long/'.repeat(60)}`, COUNT)
      const path = `/kv/tree/?${option}`
      const first = await get(path)
      let reply: Awaited<ReturnType<typeof get>> | undefined
      const held = get(`${path}&index=${first.headers['X-Service-Index']}`).then((answer) => {
        reply = answer
      })
      await isWaiting()
      world.store.commitNow([other])
      await settle()
      await isWaiting()
      expect(reply).toBeUndefined()
      world.store.commitNow([change])
      await held
      expect(reply?.text).toBe((await get(path)).text)
    },
  )
})
