/** The differential test: mocks and server get the same random calls. */
import { createMockService } from '@latchkey/mocks'
import { chooseSeed } from '@latchkey/testkit/random'
import { describe, expect, test } from 'vitest'
import { type DifferentialOptions, describeDifference, runDifferential, type Side } from '../src/index.ts'
import { runVariant } from './run-variant.ts'
import { MANAGEMENT_TOKEN } from './variants.ts'

type Edition = 'standard' | 'extended'

const { LATCHKEY_SEQUENCES, LATCHKEY_FULL } = process.env
const LENGTH = 30
const isFull = LATCHKEY_FULL === '1'

/** The seed is printed first, and repeats the run. */
function optionsOf(name: string, edition: Edition, sequencesInCi: number): DifferentialOptions {
  const sequences = Number(LATCHKEY_SEQUENCES ?? (isFull ? 2_000 : sequencesInCi))
  const seed = chooseSeed(`${name}, ${edition} edition, ${sequences} sequences of ${LENGTH} calls`)
  return { seed, sequences, length: LENGTH, edition }
}

function aMock(edition: Edition = 'standard'): Side & Required<Pick<Side, 'fetch'>> {
  const service = createMockService({
    managementToken: MANAGEMENT_TOKEN,
    unknownEndpoints: 'answer',
    edition,
  })
  const { baseUrl: url, fetch } = service
  return { name: 'mocks', url, prefix: 'X-Service-', token: MANAGEMENT_TOKEN, fetch }
}

async function expectNoDifference(left: Side, right: Side, options: DifferentialOptions): Promise<void> {
  const { difference, ...counts } = await runDifferential(left, right, options)
  expect(difference && describeDifference(difference)).toBeUndefined()
  const { seed } = options
  console.log(JSON.stringify({ name: `${left.name} and ${right.name}`, seed, ...counts, differences: 0 }))
  // A run in which every call is refused would compare nothing.
  expect((counts.statuses[200] ?? 0) / counts.calls).toBeGreaterThan(0.4)
}

test.for<Edition>(['standard', 'extended'])(
  'two mocks with separate state answer alike, %s edition',
  { timeout: 600_000 },
  async (edition) => {
    await expectNoDifference(aMock(edition), aMock(edition), optionsOf('mocks and mocks', edition, 40))
  },
)

describe('a fault that affects few calls is found', () => {
  const faults: Readonly<Record<string, (text: string) => string>> = {
    'another status text': (text) => text.replace('is already in use', 'is in use'),
    'a lost link': (text) => text.replace(/"Roles":\[\{[^\]]*\],/, ''),
    'an index that never changes': (text) => text.replace(/"ModifyIndex":\d+/, '"ModifyIndex":7'),
    'a secret shown': (text) => text.replace('<hidden>', MANAGEMENT_TOKEN),
    'two records with one id': (text) => text.replace(/("AccessorID":")[^"]{36}/, `$1${'0'.repeat(36)}`),
  }

  test.for(Object.entries(faults))('%s', { timeout: 600_000 }, async ([, fault]) => {
    const good = aMock()
    const faulty: Side = {
      ...good,
      name: 'faulty',
      fetch: async (url, init) => {
        const response = await good.fetch(url, init)
        const text = fault(await response.text())
        return new Response(text === '' ? null : text, { status: response.status, headers: response.headers })
      },
    }
    const { difference } = await runDifferential(aMock(), faulty, { seed: 1, sequences: 300, length: LENGTH })
    expect(difference).toBeDefined()
  })
})

test.for<Edition>(isFull ? ['standard', 'extended'] : ['standard'])(
  'DIF-01: mocks and server answer alike, %s edition',
  { timeout: 1_800_000 },
  async (edition) => {
    const server = await runVariant({ server: { LATCHKEY_EDITION: edition } })
    try {
      const right = { name: 'server', url: server.url, prefix: 'X-Service-', token: MANAGEMENT_TOKEN }
      await expectNoDifference(aMock(edition), right, optionsOf('mocks and server', edition, 40))
    } finally {
      await server.stop()
    }
  },
)
