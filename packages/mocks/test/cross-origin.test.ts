/** The mocks under a page of another origin, as happy-dom plays it: with a preflight before every request. */
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMockService } from '../src/index.ts'

const service = createMockService()
const server = setupServer(...service.handlers)
beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
afterAll(() => server.close())

const ORIGIN = 'http://localhost:3000'
const URL_OF_TOKENS = `${service.baseUrl}/v1/acl/tokens`

test('a preflight allows what it asks for, and is no call', async () => {
  const { ok, headers } = await fetch(URL_OF_TOKENS, {
    method: 'OPTIONS',
    headers: {
      Origin: ORIGIN,
      'Access-Control-Request-Method': 'DELETE',
      'Access-Control-Request-Headers': 'accept,x-service-token',
    },
  })
  expect(ok).toBe(true)
  expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
  expect(headers.get('Access-Control-Allow-Methods')).toBe('DELETE')
  expect(headers.get('Access-Control-Allow-Headers')).toBe('accept,x-service-token')
  expect(service.calls).toEqual([])
})

test('a page of another origin may read an answer, a refusal and their headers', async () => {
  for (const secret of [service.managementToken, 'unknown']) {
    const { headers } = await fetch(URL_OF_TOKENS, { headers: { Origin: ORIGIN, 'X-Service-Token': secret } })
    expect(headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(headers.get('Access-Control-Expose-Headers')?.split(', ')).toContain('x-request-id')
  }
})

test('a preflight of happy-dom, which nothing marks, is allowed too', async () => {
  const { ok, headers } = await fetch(URL_OF_TOKENS, { method: 'OPTIONS' })
  expect([ok, headers.get('Access-Control-Allow-Origin')]).toEqual([true, '*'])
})

test('without MSW, the answer is that of the service alone', async () => {
  const { headers } = await service.fetch(URL_OF_TOKENS)
  expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('a planned failure of the network stays one', async () => {
  service.failNext('tokens.list', 'network')
  await expect(fetch(URL_OF_TOKENS, { headers: { Origin: ORIGIN } })).rejects.toThrow(TypeError)
})
