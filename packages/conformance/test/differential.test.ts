/** The differential test: mocks and server, asked the same at random. */
import { createMockService } from '@latchkey/mocks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DifferentialOptions, describeDifference, runDifferential, type Side } from '../src/index.ts'
import { type RunningServer, runServer } from './run-server.ts'
import { MANAGEMENT_TOKEN } from './variants.ts'

const { LATCHKEY_SEED, LATCHKEY_SEQUENCES, LATCHKEY_FULL } = process.env
const LENGTH = 30

/** The seed is printed first, and repeats the run. */
function optionsOf(name: string, sequencesInCi: number): DifferentialOptions {
  const seed = Number(LATCHKEY_SEED ?? Math.floor(Math.random() * 2 ** 32))
  const sequences = Number(LATCHKEY_SEQUENCES ?? (LATCHKEY_FULL === '1' ? 2_000 : sequencesInCi))
  console.log(`${name}: LATCHKEY_SEED=${seed}, ${sequences} sequences of ${LENGTH} calls`)
  return { seed, sequences, length: LENGTH }
}

function aMock(fetch?: Side['fetch']): Side {
  const service = createMockService({ managementToken: MANAGEMENT_TOKEN, unknownEndpoints: 'answer' })
  return {
    name: 'mocks',
    url: service.baseUrl,
    prefix: 'X-Service-',
    token: MANAGEMENT_TOKEN,
    fetch: fetch ?? service.fetch,
  }
}

async function expectNoDifference(left: Side, right: Side, options: DifferentialOptions): Promise<void> {
  const { difference, calls, statuses } = await runDifferential(left, right, options)
  expect(difference && describeDifference(difference)).toBeUndefined()
  console.log(
    JSON.stringify({
      name: `${left.name} and ${right.name}`,
      seed: options.seed,
      calls,
      statuses,
      differences: 0,
    }),
  )
  // A run that only ever meets refusals would compare nothing.
  expect((statuses[200] ?? 0) / calls).toBeGreaterThan(0.4)
}

test('two mocks of their own state answer alike', { timeout: 60_000 }, async () => {
  await expectNoDifference(aMock(), aMock(), optionsOf('mocks and mocks', 200))
})

describe('a fault that few calls meet is found', () => {
  const faults: Readonly<Record<string, (text: string) => string>> = {
    'another status text': (text) => text.replace('is already in use', 'is in use'),
    'a lost link': (text) => text.replace(/"Roles":\[\{[^\]]*\],/, ''),
    'an index that stands still': (text) => text.replace(/"ModifyIndex":\d+/, '"ModifyIndex":7'),
    'a secret shown': (text) => text.replace('<hidden>', MANAGEMENT_TOKEN),
    'two records with one id': (text) => text.replace(/("AccessorID":")[^"]{36}/, `$1${'0'.repeat(36)}`),
  }

  test.for(Object.entries(faults))('%s', async ([, fault]) => {
    const service = createMockService({ managementToken: MANAGEMENT_TOKEN, unknownEndpoints: 'answer' })
    const faulty = aMock(async (url, init) => {
      const response = await service.fetch(url, init)
      const text = fault(await response.text())
      return new Response(text === '' ? null : text, { status: response.status, headers: response.headers })
    })
    const { difference } = await runDifferential(aMock(), faulty, { seed: 1, sequences: 200, length: LENGTH })
    expect(difference).toBeDefined()
  })
})

describe('mocks and server', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await runServer({ server: {} })
  }, 60_000)
  afterAll(() => server.stop())

  test('answer alike', { timeout: 1_800_000 }, async () => {
    const side: Side = { name: 'server', url: server.url, prefix: 'X-Service-', token: MANAGEMENT_TOKEN }
    await expectNoDifference(aMock(), side, optionsOf('mocks and server', 100))
  })
})
