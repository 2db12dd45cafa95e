/** Each middleware in its framework, against a service that knows three secrets. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import fastify from 'fastify'
import { Hono } from 'hono'
import { describe, expect, test } from 'vitest'
import { clientOf } from '../../test/client.ts'
import { json, problem, type Reply, startServer } from '../../test/test-server.ts'
import type { Client } from '../index.ts'
import { requireAccess as requireInExpress } from './express.ts'
import { requireAccess as requireInFastify } from './fastify.ts'
import { denialOf } from './guard.ts'
import { requireAccess as requireInHono } from './hono.ts'

/** `reader` may read only `orders/7`; with `down`, the service is unavailable; no other token is known. */
const decide: Reply = (response, request) => {
  const secret = request.headers['x-service-token']
  const [check] = JSON.parse(request.body)
  if (secret === 'down') return problem(503, 'unavailable')(response, request)
  if (secret !== 'reader') return problem(403, 'caller_unknown')(response, request)
  return json([{ ...check, Allow: check.Access === 'read' && check.Segment === 'orders/7' }])(
    response,
    request,
  )
}

interface App {
  get(path: string, headers: Record<string, string>): Promise<Response>
  close(): Promise<unknown>
}

const FRAMEWORKS: Record<string, (client: Client) => Promise<App>> = {
  Express: async (client) => {
    const app = express()
    const guard = requireInExpress(client, {
      resource: 'key',
      segment: ({ params }) => `orders/${params.id}`,
      access: 'read',
    })
    app.get('/orders/:id', guard, (_request, response) => {
      response.send('shown')
    })
    const server = app.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return {
      get: (path, headers) => fetch(`http://127.0.0.1:${port}${path}`, { headers }),
      close: async () => server.close(),
    }
  },
  Fastify: async (client) => {
    const app = fastify()
    const preHandler = requireInFastify(client, {
      resource: 'key',
      segment: ({ params }) => `orders/${params.id}`,
      access: 'read',
    })
    app.get('/orders/:id', { preHandler }, async () => 'shown')
    const address = await app.listen({ port: 0, host: '127.0.0.1' })
    return { get: (path, headers) => fetch(`${address}${path}`, { headers }), close: () => app.close() }
  },
  Hono: async (client) => {
    const app = new Hono()
    const guard = requireInHono(client, {
      resource: 'key',
      segment: ({ req }) => `orders/${req.param('id')}`,
      access: 'read',
    })
    app.get('/orders/:id', guard, (context) => context.text('shown'))
    return { get: async (path, headers) => app.request(path, { headers }), close: async () => {} }
  },
}

describe.each(Object.entries(FRAMEWORKS))('requireAccess in %s', (_, start) => {
  test.each([
    ['a token with the right is let in', '/orders/7', { 'X-Service-Token': 'reader' }, 200],
    ['a bearer token is one too', '/orders/7', { Authorization: 'bearer reader' }, 200],
    ['a token without the right', '/orders/8', { 'X-Service-Token': 'reader' }, 403],
    ['an unknown token', '/orders/7', { 'X-Service-Token': 'other' }, 401],
    ['no token', '/orders/7', {}, 401],
    ['a token that no header can carry', '/orders/7', { Authorization: 'Bearer \u00e9\u00e9' }, 401],
    ['a service that does not answer', '/orders/7', { 'X-Service-Token': 'down' }, 503],
  ] as [string, string, Record<string, string>, number][])('%s', async (_title, path, headers, status) => {
    await using service = await startServer(decide)
    const app = await start(clientOf(service, { retries: 0 }))
    try {
      const answer = await app.get(path, headers)
      expect(answer.status).toBe(status)
      if (status === 200) expect(await answer.text()).toBe('shown')
      else {
        expect(answer.headers.get('content-type')).toContain('application/problem+json')
        expect(await answer.json()).toMatchObject({ status })
        expect(answer.headers.get('www-authenticate')).toBe(status === 401 ? 'Bearer' : null)
      }
    } finally {
      await app.close()
    }
  })
})

test('a secret that cannot be sent in a header counts as no token, without a request', async () => {
  await using service = await startServer(decide)
  const options = { resource: 'key', segment: 'a', access: 'read', secret: () => 'line\nbreak' } as const
  expect(await denialOf(clientOf(service), options, {}, () => undefined)).toMatchObject({ status: 401 })
  expect(service.requests).toHaveLength(0)
})

test('an error of the application is not mistaken for a bad token', async () => {
  await using service = await startServer(decide)
  const broken = Object.assign(clientOf(service), {
    withToken: () => ({ authorize: () => Promise.reject(new TypeError('a fault')) }),
  })
  const options = { resource: 'key', segment: 'a', access: 'read', secret: () => 'reader' } as const
  await expect(denialOf(broken, options, {}, () => undefined)).rejects.toThrow('a fault')
})
