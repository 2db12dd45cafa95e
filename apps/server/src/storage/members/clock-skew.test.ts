/**
 * EXP-04 with real processes and a real database: first the clocks of the processes are wrong, then the clock of the
 * database.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { runServer } from '@latchkey/testkit/process/server-process'
import { anId, aToken } from '@latchkey/testkit/records/record-builders'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createTestDatabase } from '../../../test/database.ts'
import { openSkewedClock } from '../../../test/skewed-clock.ts'
import { openTestStore, putNew, testKey } from '../../../test/store.ts'

const SECOND = 1_000
const MINUTE = 60_000
const HOUR = 3_600_000
const PATIENCE = { timeout: 30_000, interval: 50 }
/** Measurement error on a busy machine. */
const ERROR_MS = 500

describe("the clocks of processes are wrong; the database's decides", () => {
  /** Replaces the clock of a process before any of our modules is loaded. */
  const skewed = (wrongMs: string) =>
    `data:text/javascript,${encodeURIComponent(
      `const now = Date.now, start = now(); Date.now = () => Math.round(${wrongMs}); const Right = Date;
       globalThis.Date = class Date extends Right { constructor(...args) { super(...(args.length ? args : [Date.now()])) } }`,
    )}`
  const CLOCKS: Readonly<Record<string, string>> = {
    right: 'now()',
    'five minutes behind': 'now() - 300000',
    'five minutes ahead': 'now() + 300000',
    'back by an hour after three seconds': 'now() - (now() - start > 3000 ? 3600000 : 0)',
    stopped: 'start',
  }
  const MANAGEMENT = 'a0000000-0000-4000-8000-00000000000a'

  test('EXP-04: all processes decide alike, and a token expires on all of them at once', async () => {
    const database = await createTestDatabase()
    const servers = await Promise.all(
      Object.values(CLOCKS).map((wrongMs) =>
        runServer({
          DATABASE_URL: database.url,
          LATCHKEY_ENCRYPTION_KEYS: testKey('test'),
          LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT,
          NODE_OPTIONS: `--import ${skewed(wrongMs)}`,
        }),
      ),
    )
    onTestFinished(async () => {
      await Promise.all(servers.map((server) => server.stop('SIGKILL')))
    })
    // This proves that their clocks are wrong.
    const hasWarned = () => servers.map(({ log }) => log.some((line) => line.includes('"aheadMs"')))
    await expect.poll(hasWarned, PATIENCE).toMatchObject({ 0: false, 1: true, 2: true })
    for (const server of servers) {
      const from = Date.now()
      const { body } = await server.call('PUT', '/acl/token', {
        token: MANAGEMENT,
        body: { ExpirationTTL: '60s' },
      })
      const expiresAt = Date.parse(body.ExpirationTime)
      expect(expiresAt).toBeGreaterThan(from + MINUTE - ERROR_MS)
      expect(expiresAt).toBeLessThan(Date.now() + MINUTE + ERROR_MS)
    }

    const store = await openTestStore({ url: database.url })
    const expiresAt = Date.now() + 6 * SECOND
    const token = aToken({ ExpirationTime: new Date(expiresAt).toISOString() })
    await store.commit([putNew(token)])
    let deaths = 0
    await Promise.all(
      servers.map(async (server) => {
        let isDead = false
        while (Date.now() < expiresAt + 3 * SECOND) {
          const askedAt = Date.now()
          const { status } = await server.call('GET', '/acl/token/self', { token: token.SecretID })
          if (Date.now() < expiresAt - ERROR_MS) expect(status).toBe(200)
          if (askedAt > expiresAt + ERROR_MS) expect(status).toBe(403)
          if (isDead) expect(status).toBe(403)
          else if (status === 403) deaths += 1
          isDead = status === 403
          await sleep(20)
        }
      }),
    )
    expect(deaths).toBe(servers.length)
  })
})

/** A database whose clock can be set. */
async function createSkewedDatabase() {
  const { url } = await createTestDatabase()
  const { skew, close } = await openSkewedClock(url)
  onTestFinished(async () => {
    await close()
  })
  return { url, skew }
}

test.each([HOUR, -HOUR, 5 * MINUTE, -5 * MINUTE])(
  'EXP-04: the clock of the database steps by %d ms and back; no process follows, not even one that starts in between',
  async (ms) => {
    const { url, skew } = await createSkewedDatabase()
    const stores = [await openTestStore({ url }), await openTestStore({ url })]
    const wrongMs = () => stores.map(({ clock }) => Math.abs(clock.now() - Date.now()))
    const isRight = () => wrongMs().every((wrong) => wrong < ERROR_MS)
    const stepsRefused = () => stores.slice(0, 2).map((store) => store.status().clock.stepsRefused)
    await expect.poll(() => stores.some((store) => store.status().isLeader), PATIENCE).toBe(true)
    expect(isRight()).toBe(true)
    const [one] = stores
    const ExpirationTime = new Date(Date.now() + MINUTE).toISOString()
    const token = aToken({ AccessorID: anId(1), ExpirationTime })
    await one?.commit([putNew(token)])

    await skew(ms)
    await expect.poll(stepsRefused, PATIENCE).toEqual([1, 1])
    expect(wrongMs().map((wrong) => wrong < ERROR_MS)).toEqual([true, true])
    stores.push(await openTestStore({ url }))
    await expect
      .poll(() => stores.every((store) => Math.abs(store.status().clock.aheadMs - ms) < ERROR_MS), PATIENCE)
      .toBe(true)
    expect(wrongMs().map((wrong) => wrong < ERROR_MS)).toEqual([true, true, true])
    // No process is fenced, and all see the writes.
    const members = await stores[2]?.membership.members()
    expect(members?.filter(({ status }) => status === 'alive')).toHaveLength(3)

    await skew(0)
    await expect.poll(stepsRefused, PATIENCE).toEqual([2, 2])
    await expect
      .poll(() => stores.every((store) => Math.abs(store.status().clock.aheadMs) < ERROR_MS), PATIENCE)
      .toBe(true)
    expect(isRight()).toBe(true)
    for (const store of stores) {
      await store.refresh('consistent')
      expect(await store.tokenBySecret(token.SecretID)).toMatchObject({ ExpirationTime })
    }
  },
)
