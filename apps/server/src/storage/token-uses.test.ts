/** Uses of tokens: how often they are written, and agreement between processes. The store suite tests the rule. */
import { anId } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase } from '../../test/database.ts'
import { openTestStore } from '../../test/store.ts'
import { connectDatabase } from '../database/connect.ts'
import { PostgresTokenUses } from './token-uses.ts'

const database = await createTestDatabase()
const store = await openTestStore({ url: database.url })
const connection = connectDatabase({ url: database.url, log: pino({ level: 'silent' }) })
afterAll(async () => {
  await store.close()
  await connection.close()
})

const MINUTE = 60_000
const LOGIN = Date.parse('2026-01-31T12:00:00Z')

/** The uses of one process, and the statements that it has sent. */
function aProcess() {
  const sent = { count: 0 }
  const link = { isCut: false }
  const pool = new Proxy(connection.pool, {
    get(target, name) {
      if (name === 'query') sent.count += 1
      if (name === 'query' && link.isCut)
        return async () => {
          throw Object.assign(new Error('cut'), { code: 'ECONNREFUSED' })
        }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { uses: new PostgresTokenUses(pool), sent, link }
}

const useAt = (accessorId: string, ms: number, ttlMs = 20 * MINUTE) => ({
  accessorId,
  limit: { ttlMs, since: LOGIN },
  now: LOGIN + ms,
  until: LOGIN + ms,
})

test('a token that is used all the time is written once per twentieth of its limit, in batches', async () => {
  const { uses, sent } = aProcess()
  const tokens = [anId(0x91_0001), anId(0x91_0002)]
  const noteAll = (from: number, to: number) => {
    for (let ms = from; ms < to; ms += 1_000) {
      for (const token of tokens) expect(uses.noteKnown(useAt(token, ms))).toBe(true)
    }
  }
  noteAll(0, MINUTE)
  await uses.close()
  expect(sent.count).toBe(0)
  noteAll(MINUTE, 2 * MINUTE)
  await uses.close()
  expect(sent.count).toBe(1)
  noteAll(2 * MINUTE, 3 * MINUTE)
  await uses.close()
  expect(sent.count).toBe(2)
})

test('a use that one process has written is valid for all, and expired tokens stay expired', async () => {
  const [a, b] = [aProcess().uses, aProcess().uses]
  const token = anId(0x91_0003)
  expect(a.noteKnown(useAt(token, 15 * MINUTE))).toBe(true)
  await a.close()
  expect(b.noteKnown(useAt(token, 30 * MINUTE))).toBe(false)
  expect(await b.use(useAt(token, 30 * MINUTE))).toBe(true)
  expect(await b.use(useAt(token, 52 * MINUTE))).toBe(false)
  expect(a.noteKnown(useAt(token, 52 * MINUTE))).toBe(false)
  expect(await Promise.all([a, a, b].map((uses) => uses.use(useAt(token, 53 * MINUTE))))).toEqual([
    false,
    false,
    false,
  ])
})

test('a use of a living token stays valid, however late it is written, and whatever use comes later', async () => {
  const { uses } = aProcess()
  const token = anId(0x91_0004)
  const used = [10 * MINUTE, 53 * MINUTE].map((ms) => uses.use(useAt(token, ms)))
  expect(await Promise.all(used)).toEqual([true, true])
})

test('a use that no request waits for is written once the database is back', async () => {
  const { uses, link } = aProcess()
  const token = anId(0x91_0005)
  expect(uses.noteKnown(useAt(token, 15 * MINUTE))).toBe(true)
  link.isCut = true
  await uses.close()
  link.isCut = false
  await uses.close()
  expect(await aProcess().uses.use(useAt(token, 30 * MINUTE))).toBe(true)
})
