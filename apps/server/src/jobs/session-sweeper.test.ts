import { MemoryStore } from '@latchkey/service'
import { aNode, aSession } from '@latchkey/testkit/records/catalog-builders'
import { anId } from '@latchkey/testkit/records/record-builders'
import { expect, test } from 'vitest'
import { SWEEP_GRACE_MS, sessionSweeper } from './session-sweeper.ts'

const TTL_MS = 10_000

test('a new leader ends no session for some seconds, and then all expired ones', async () => {
  let now = 0
  const store = new MemoryStore({ after: () => () => {}, now: () => now })
  await store.commit([{ table: 'nodes', op: 'put', record: aNode(), expect: 0 }])
  for (const [i, TTL] of ['10s', '10s', ''].entries()) {
    await store.commit([{ table: 'sessions', op: 'put', record: aSession({ ID: anId(i), TTL }), expect: 0 }])
  }
  const left = () => store.catalog().sessions.values().length
  let leader: AbortSignal | undefined = new AbortController().signal
  const round = sessionSweeper(
    store,
    async (work) => leader && work(leader),
    () => now,
  )
  await round()
  now = 2 * TTL_MS - 1
  await round()
  expect(left()).toBe(3)
  leader = undefined
  now += 1
  await round()
  leader = new AbortController().signal
  await round()
  now += SWEEP_GRACE_MS - 1
  await round()
  expect(left()).toBe(3)
  await store.sessionTimes.renew(anId(0))
  now += 1
  await round()
  expect(left()).toBe(2)
  now += 2 * TTL_MS
  await round()
  expect(left()).toBe(1)
})
