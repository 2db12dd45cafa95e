import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ANY_ORIGIN, corsFor } from './cors.ts'

const APP = 'https://app.example.com'

/** Sends a request to a server with these origins, and returns the headers of its answer. */
function serve(origins: readonly string[]) {
  const cors = corsFor(origins)
  const server = createServer((request, response) => {
    const next = () => response.writeHead(200, { 'X-Reached': 'yes' }).end()
    if (cors) cors(request, response, next)
    else next()
  })
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  afterAll(() => server.close())
  return async (method: string, headers: Record<string, string>) => {
    const { port } = server.address() as AddressInfo
    const answer = await fetch(`http://127.0.0.1:${port}/v1/acl/tokens`, { method, headers })
    return { status: answer.status, get: (name: string) => answer.headers.get(name) }
  }
}

const preflight = (origin: string) => ({
  Origin: origin,
  'Access-Control-Request-Method': 'PUT',
  'Access-Control-Request-Headers': 'content-type,x-service-token',
})

describe('listed origins', () => {
  const ask = serve([APP, 'https://other.example.com'])

  test('a preflight is answered without a token, and reaches no handler', async () => {
    const answer = await ask('OPTIONS', preflight(APP))
    expect(answer.status).toBe(204)
    expect(answer.get('x-reached')).toBeNull()
    expect(answer.get('access-control-allow-origin')).toBe(APP)
    expect(answer.get('access-control-allow-headers')).toBe('content-type,x-service-token')
    expect(answer.get('access-control-allow-methods')).toContain('PUT')
    expect(answer.get('access-control-allow-credentials')).toBeNull()
  })

  test('an answer names its origin and shows its headers', async () => {
    const answer = await ask('GET', { Origin: APP })
    expect(answer.status).toBe(200)
    expect(answer.get('access-control-allow-origin')).toBe(APP)
    expect(answer.get('access-control-expose-headers')).toBe('*')
    expect(answer.get('vary')).toContain('Origin')
  })

  test.each(['https://evil.example', 'http://app.example.com', `${APP}:8443`, `${APP}.evil.example`, 'null'])(
    'the origin %s is not listed: no header, and its preflight is handled like any OPTIONS',
    async (origin) => {
      for (const answer of [await ask('GET', { Origin: origin }), await ask('OPTIONS', preflight(origin))]) {
        expect(answer.get('access-control-allow-origin')).toBeNull()
        expect(answer.get('vary')).toBe('Origin')
        expect(answer.get('x-reached')).toBe('yes')
      }
    },
  )

  test('an OPTIONS that is no preflight reaches the API', async () => {
    expect((await ask('OPTIONS', { Origin: APP })).get('x-reached')).toBe('yes')
  })
})

describe('every origin', () => {
  const ask = serve([ANY_ORIGIN])

  test('pages may read, and no preflight promises a write', async () => {
    const answer = await ask('OPTIONS', preflight('https://any.example'))
    expect(answer.get('access-control-allow-origin')).toBe('*')
    expect(answer.get('access-control-allow-methods')).toBe('GET,HEAD')
    expect(answer.get('access-control-allow-credentials')).toBeNull()
  })
})

describe('no origin', () => {
  const ask = serve([])

  test('no answer changes', async () => {
    const answer = await ask('GET', { Origin: APP })
    expect([answer.get('access-control-allow-origin'), answer.get('vary')]).toEqual([null, null])
  })
})
