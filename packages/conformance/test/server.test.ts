/** API-01: the suite against real server processes, with the same expectations as the mocks. */
import {
  CLIENT_ID,
  CLIENT_SECRET,
  REDIRECT_URI,
  startOpenIdProvider,
} from '@latchkey/testkit/login/openid-provider'
import { beforeAll, describe, expect, test } from 'vitest'
import { CASES, type CaseResult, type OpenIdProvider, probeTraits, runCases } from '../src/index.ts'
import { runVariant } from './run-variant.ts'
import { expectNoFailures, neverRun, targetOf } from './suite.ts'
import { MANAGEMENT_TOKEN, VARIANTS } from './variants.ts'

const isFull = process.env.LATCHKEY_FULL === '1'
const chosen = VARIANTS.filter(({ server, always }) => server && (isFull || always))

describe('API-01: conformance of the server', () => {
  const results: CaseResult[] = []
  const passed = new Set<string>()
  let provider: OpenIdProvider
  beforeAll(async () => {
    const { issuer, signIn, close } = await startOpenIdProvider()
    provider = { issuer, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, redirectUri: REDIRECT_URI, signIn }
    return close
  })

  test.for(chosen)('$name', { timeout: 600_000 }, async (variant) => {
    const server = await runVariant(variant)
    try {
      const token = variant.traits.bootstrap === 'open' ? '' : MANAGEMENT_TOKEN
      const target = targetOf(variant, { url: server.url, token, provider })
      expect(await probeTraits(target)).toEqual(variant.traits)
      // The mocks, and the long run, show that an edition changes nothing in the cases of the one before.
      const cases = isFull ? CASES : CASES.filter(({ id }) => !passed.has(id))
      const ran = await runCases(cases, target)
      results.push(...ran)
      for (const { id, outcome } of ran) if (outcome === 'passed') passed.add(id)
      expect(ran.some(({ outcome }) => outcome === 'passed')).toBe(true)
      expectNoFailures(ran, server.log())
    } finally {
      await server.stop()
    }
  })

  test.runIf(isFull)('every case has run, except slow ones and those that need a clock', () => {
    const special = CASES.filter(({ needs }) => needs?.clock || needs?.patience).map(({ id }) => id)
    expect(neverRun(results)).toEqual(special)
  })
})
