/** Browser logins: their cost in the database, and agreement between processes. The store suite tests the rule. */
import { aLoginState } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createTestDatabase, PATIENT } from '../../test/database.ts'
import { openTestStore, testRing } from '../../test/store.ts'
import { connectDatabase } from '../database/connect.ts'
import { openSecrets } from './keys/open-secrets.ts'
import { PostgresLoginStates } from './login-states.ts'

const database = await createTestDatabase()
// Creates the key that seals the secrets.
const store = await openTestStore({ url: database.url })
const connection = connectDatabase({ url: database.url, log: pino({ level: 'silent' }), limits: PATIENT })
const secrets = await openSecrets(connection.prisma, testRing('test'))
afterAll(async () => {
  await store.close()
  await connection.close()
})

const now = Date.parse('2026-01-31T12:00:00Z')

/** The logins of one process, and the statements that it sends. */
function aProcess() {
  const sent = { count: 0, inFlight: 0, inFlightMax: 0 }
  const pool = new Proxy(connection.pool, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value
      return async (statement: never) => {
        sent.count += 1
        sent.inFlight += 1
        sent.inFlightMax = Math.max(sent.inFlightMax, sent.inFlight)
        try {
          return await target.query(statement)
        } finally {
          sent.inFlight -= 1
        }
      }
    },
  })
  return { states: new PostgresLoginStates({ ...connection, pool }, secrets), sent }
}

test('DOS-05: 1,000 callbacks of unknown states take four statements and at most two connections', async () => {
  const { states, sent } = aProcess()
  const taken = await Promise.all(Array.from({ length: 1_000 }, (_, i) => states.take(`unknown-${i}`)))
  expect(new Set(taken)).toEqual(new Set([undefined]))
  expect(sent.count).toBe(4)
  // The first may be answered before the second is sent.
  expect(sent.inFlightMax).toBeLessThanOrEqual(2)
})

test('DOS-05: 1,000 started logins take four statements and at most two connections', async () => {
  const { states, sent } = aProcess()
  const put = (i: number) => states.put(aLoginState({ generation: 9_000 + (i % 100) }), { openMax: 10, now })
  const kept = await Promise.all(Array.from({ length: 1_000 }, (_, i) => put(i)))
  expect(new Set(kept)).toEqual(new Set([true]))
  expect(sent.count).toBe(4)
  // The first may be answered before the second is sent.
  expect(sent.inFlightMax).toBeLessThanOrEqual(2)
})

test('RACE-01: requests and processes that take the same states in different orders share them', async () => {
  const [one, other] = [aProcess().states, aProcess().states]
  const states = Array.from({ length: 200 }, () => aLoginState({ generation: 9_200 }))
  await Promise.all(states.map((state) => one.put(state, { openMax: 1_000, now })))
  const hashes = states.map(({ stateHash }) => stateHash)
  const taken = await Promise.all([
    ...hashes.map((hash) => one.take(hash)),
    ...hashes.toReversed().map((hash) => other.take(hash)),
    ...hashes.map((hash) => one.take(hash)),
  ])
  const found = taken.flatMap((state) => (state === undefined ? [] : [state.stateHash]))
  expect(found.toSorted()).toEqual(hashes.toSorted())
})

test('RACE-01: a callback does not wait for the statement that takes its state', async () => {
  const { states } = aProcess()
  const state = aLoginState({ generation: 9_201 })
  await states.put(state, { openMax: 1, now })
  const client = await connection.pool.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT FROM login_state WHERE state_hash = $1 FOR UPDATE', [state.stateHash])
    expect(await states.take(state.stateHash)).toBeUndefined()
  } finally {
    await client.query('ROLLBACK')
    client.release()
  }
})
