/** API-01: the suite against real server processes, with the same expectations as the mocks. */
import { describe, expect, test } from 'vitest'
import { CASES, type CaseResult, probeTraits, runCases } from '../src/index.ts'
import { runVariant } from './run-variant.ts'
import { expectNoFailures, neverRun, targetOf } from './suite.ts'
import { MANAGEMENT_TOKEN, VARIANTS } from './variants.ts'

const isFull = process.env.LATCHKEY_FULL === '1'
const chosen = VARIANTS.filter(({ server, always }) => server && (isFull || always))

describe('API-01: conformance of the server', () => {
  const results: CaseResult[] = []

  test.for(chosen)('$name', { timeout: 180_000 }, async (variant) => {
    const server = await runVariant(variant)
    try {
      const token = variant.traits.bootstrap === 'open' ? '' : MANAGEMENT_TOKEN
      const target = targetOf(variant, { url: server.url, token })
      expect(await probeTraits(target)).toEqual(variant.traits)
      const ran = await runCases(CASES, target)
      results.push(...ran)
      expectNoFailures(ran)
    } finally {
      await server.stop()
    }
  })

  test.runIf(isFull)('every case has run, but those that need a clock or patience', () => {
    const special = CASES.filter(({ needs }) => needs?.clock || needs?.patience).map(({ id }) => id)
    expect(neverRun(results)).toEqual(special)
  })
})
