/** Type tests: each middleware in its framework's routes, as applications write them. Checked by `pnpm typecheck`. */
import express, { type Request, type RequestHandler, type Response } from 'express'
import fastify, { type FastifyRequest } from 'fastify'
import { Hono } from 'hono'
import { expectTypeOf, test } from 'vitest'
import { createClient } from '../index.ts'
import { requireAccess as requireInExpress } from './express.ts'
import { requireAccess as requireInFastify } from './fastify.ts'
import { requireAccess as requireInHono } from './hono.ts'

const client = createClient({ address: 'http://127.0.0.1:1', env: false })
const READ = { resource: 'key', access: 'read' } as const

test('a route of Express keeps the types of its parameters and bodies', () => {
  const app = express()
  const mayRead = requireInExpress(client, { ...READ, segment: ({ params }) => `orders/${params.id}` })
  app.get('/orders/:id', mayRead, (request, response) => {
    expectTypeOf(request.params).toEqualTypeOf<{ id: string }>()
    response.json({ ok: true })
  })
  app.get('/orders/:id', mayRead, (_request, response: Response<{ ok: boolean }>) => {
    // @ts-expect-error the handler answers another body
    response.json({ ok: 1 })
  })
  app.get(
    '/orders/:id',
    requireInExpress(client, { ...READ, segment: (request) => `orders/${request.params.id}` }),
    (_request, response) => {
      response.json([])
    },
  )
  app.use('/orders', mayRead)
  expectTypeOf(mayRead).toExtend<RequestHandler>()
})

test('the segment of Express takes the type of the request', () => {
  type OrderRequest = Request<{ id: string }>
  const named = requireInExpress<OrderRequest>(client, { ...READ, segment: ({ params }) => params.id })
  const annotated = requireInExpress(client, { ...READ, segment: ({ params }: OrderRequest) => params.id })
  expectTypeOf(annotated).toEqualTypeOf(named)
  express().get('/orders/:id', named, annotated, (_request, response) => {
    response.json({ ok: true })
  })
  // @ts-expect-error without a type, a parameter may be anything
  requireInExpress(client, { ...READ, segment: ({ params }) => params.id })
})

test('a preHandler of Fastify compiles in a route with and without a type of its parameters', () => {
  type Order = { Params: { id: string } }
  const app = fastify()
  const preHandler = requireInFastify(client, { ...READ, segment: ({ params }) => `orders/${params.id}` })
  app.get('/orders/:id', { preHandler }, async () => 'shown')
  app.get(
    '/orders/:id',
    { preHandler: requireInFastify(client, { ...READ, segment: ({ params }) => `orders/${params.id}` }) },
    async () => 'shown',
  )
  app.get<Order>(
    '/orders/:id',
    { preHandler: requireInFastify(client, { ...READ, segment: ({ params }) => `orders/${params.id}` }) },
    async ({ params }) => params.id,
  )
  const typed = requireInFastify<FastifyRequest<Order>>(client, {
    ...READ,
    segment: ({ params }) => params.id,
  })
  app.get<Order>('/orders/:id', { preHandler: [preHandler, typed] }, async ({ params }) => params.id)
  app.addHook('preHandler', preHandler)
})

test('a route of Hono keeps the types of its parameters', () => {
  new Hono().get(
    '/orders/:id',
    requireInHono(client, { ...READ, segment: ({ req }) => `orders/${req.param('id')}` }),
    (context) => {
      expectTypeOf(context.req.param('id')).toEqualTypeOf<string>()
      return context.json({ ok: true })
    },
  )
})
