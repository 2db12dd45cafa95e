/** API-01: the suite against the mocks, through MSW, in every kind that they can be; every reply is held to the contract. */
import { createMockService } from '@latchkey/mocks'
import { checkedFetch } from '@latchkey/testkit/service/check-reply'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CASES, type CaseResult, probeTraits, runCases, type Target } from '../src/index.ts'
import { expectNoFailures, neverRun, neverShown, targetOf } from './suite.ts'
import { VARIANTS, type Variant } from './variants.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

/** The first variant is met through MSW, as applications meet it; the others, for speed, through the service's own `fetch`. */
function mount(variant: Variant): Target {
  const service = createMockService({ unknownEndpoints: 'answer', ...variant.mock })
  const { clock, baseUrl: url, managementToken: token } = service
  const common = { url, token, ...(variant.mock.clock === undefined ? {} : { clock }) }
  if (variant !== VARIANTS[0]) return targetOf(variant, { ...common, fetch: checkedFetch(service.fetch) })
  server.resetHandlers(...service.handlers)
  // The global one is what MSW has replaced.
  return targetOf(variant, { ...common, fetch: checkedFetch((url, init) => fetch(url, init)) })
}

describe('API-01: conformance of the mocks', () => {
  const results: CaseResult[] = []

  test.for(VARIANTS)('$name', { timeout: 120_000 }, async (variant) => {
    const target = mount(variant)
    const { clock: _, ...address } = target
    expect(await probeTraits(address)).toEqual(variant.traits)
    const ran = await runCases(CASES, target)
    results.push(...ran)
    expectNoFailures(ran)
  })

  test('every case has run, but those that need patience', () => {
    expect(neverRun(results)).toEqual(CASES.filter(({ needs }) => needs?.patience).map(({ id }) => id))
  })

  test('every row of the spec is shown', () => {
    const [plain] = VARIANTS
    expect(plain && neverShown(mount(plain), results)).toEqual([])
  })
})
