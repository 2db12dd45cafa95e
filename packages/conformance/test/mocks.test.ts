/** API-01: the suite against the mocks, through MSW, in every variant; every reply is checked against the contract. */
import { createMockService, type MockService } from '@latchkey/mocks'
import { checkedFetch } from '@latchkey/testkit/service/check-reply'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CaseResult, OpenIdProvider, Target } from '../src/index.ts'
import { CASES, probeTraits, runCases } from '../src/index.ts'
import { expectNoFailures, neverRun, neverShown, targetOf } from './suite.ts'
import { VARIANTS, type Variant } from './variants.ts'

const server = setupServer()
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

/**
 * A quarter of the calls of the first variant, in turn, go through MSW, as in applications. For speed, the others use the
 * service's own `fetch`.
 */
function mount(variant: Variant): Target {
  const isThroughMsw = variant === VARIANTS[0]
  const service = createMockService({
    unknownEndpoints: 'answer',
    ...variant.mock,
    // MSW would prepare TLS for each request.
    ...(isThroughMsw ? { baseUrl: 'http://latchkey.test' } : {}),
  })
  const { clock, baseUrl: url, managementToken: token } = service
  const common = {
    url,
    token,
    decodesOnly: true,
    provider: providerOf(service),
    ...(variant.mock.clock === undefined ? {} : { clock }),
  }
  if (!isThroughMsw) return targetOf(variant, { ...common, fetch: checkedFetch(service.fetch) })
  server.resetHandlers(...service.handlers)
  let calls = 0
  // MSW has replaced the global one.
  const send = (url: string, init: RequestInit) =>
    calls++ % 4 === 0 ? fetch(url, init) : service.fetch(url, init)
  return targetOf(variant, { ...common, fetch: checkedFetch(send) })
}

function providerOf({ identityProvider }: MockService): OpenIdProvider {
  return {
    issuer: 'https://idp.example',
    clientId: 'client',
    clientSecret: 'a client secret',
    redirectUri: 'https://ui.example/oidc/callback',
    signIn: (authUrl, sub) =>
      new URL(identityProvider.signIn(authUrl, { sub, claims: { team: `${sub}-team` } })).searchParams,
  }
}

describe('API-01: conformance of the mocks', () => {
  const results: CaseResult[] = []

  test.for(VARIANTS)('$name', { timeout: 600_000 }, async (variant) => {
    const target = mount(variant)
    const { clock: _, ...address } = target
    expect(await probeTraits(address)).toEqual(variant.traits)
    const ran = await runCases(CASES, target)
    results.push(...ran)
    expectNoFailures(ran)
  })

  test('every case has run, except slow ones and those that need checked signatures', () => {
    const cannotRun = CASES.filter(({ needs }) => needs?.patience || needs?.signatures)
    expect(neverRun(results)).toEqual(cannotRun.map(({ id }) => id))
  })

  test('every row of the spec is shown', () => {
    const [plain] = VARIANTS
    expect(plain && neverShown(mount(plain), results)).toEqual([])
  })
})
