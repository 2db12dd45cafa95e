/** When the job waits, blocks, and records the end; `acl` tests the rule. Spec 9.5. */
import { parseServiceVersion, profileOf } from '@latchkey/contract'
import { MemoryStore } from '@latchkey/service'
import { anIntention } from '@latchkey/testkit/records/record-builders'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { type IntentionsContext, lookAtIntentions } from './intentions-migration.ts'

const NOW = 1_000_000
const member = (version: string) => ({ node: `n-${version}`, version, status: 'alive' }) as const

let store: MemoryStore
let now: number

beforeEach(async () => {
  store = new MemoryStore({ after: () => () => {} })
  now = NOW
  for (let i = 0; i < 3; i += 1) {
    const record = anIntention()
    const { DestinationNS, DestinationName } = record
    const destination = { DestinationNS, DestinationName, Meta: {}, CreateIndex: 0, ModifyIndex: 0 }
    await store.commit([
      { table: 'intentions', op: 'put', record, expect: 0 },
      { table: 'intentionDestinations', op: 'put', record: destination, expect: 0 },
    ])
  }
})

const recorded = () => store.directory().system('intentions')?.Value

function look(version: string, others: readonly string[], fields: Partial<IntentionsContext> = {}) {
  return lookAtIntentions(
    {
      store,
      profile: profileOf(parseServiceVersion(version)),
      now: () => now,
      members: async () => [version, ...others].map(member),
      primary: async () => 'is-here',
      log: pino({ enabled: false }),
      ...fields,
    },
    NOW,
  )
}

test('the first leader of 1.9.0 blocks, waits for the others, keeps the pace, and records the end', async () => {
  await look('1.8.7', [])
  expect(recorded()).toBeUndefined()
  expect(await look('1.9.0', ['1.8.7'])).toBe(5_000)
  expect(recorded()).toMatchObject({
    state: 'waiting',
    waitsFor: ['server n-1.8.7 (version 1.8.7) to run 1.9.0 or later, or to leave'],
  })
  expect(await look('1.9.0', ['1.10'])).toBe(20)
  expect(recorded()).toEqual({ state: 'migrating', since: NOW })
  now += 20
  await look('1.9.0', ['1.10'])
  expect(recorded()).toEqual({ state: 'done', since: NOW + 20 })
  expect(store.directory().intentions().list()).toHaveLength(3)
})

test('an older server that leads again ends the block, until the migration is done', async () => {
  await look('1.9.0', ['1.8.7'])
  await look('1.8.7', ['1.9.0'])
  expect(recorded()).toBeUndefined()
  await look('1.9.0', [])
  now += 20
  await look('1.9.0', [])
  await look('1.8.7', [])
  expect(recorded()).toMatchObject({ state: 'done' })
})

test('of two servers that both believe they lead, one records the state', async () => {
  await Promise.all([look('1.9.0', []), look('1.9.0', [])])
  expect(recorded()).toMatchObject({ state: 'migrating' })
})
