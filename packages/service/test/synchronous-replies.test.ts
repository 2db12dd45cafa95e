/** Which replies of the service are synchronous. */
import { ROUTE_LIST } from '@latchkey/contract'
import type { WireRequest } from '@latchkey/service'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

const ACCESSOR = 'b0000000-0000-4000-8000-00000000000b'

function reading(path: string): WireRequest {
  const headers: Readonly<Record<string, string>> = { 'x-service-token': MANAGEMENT }
  return {
    method: 'GET',
    url: path,
    header: (name) => headers[name],
    readBody: () => Promise.reject(new Error('a read has no body')),
    requestId: 'request-1',
  }
}

/** @returns a service that has the rights of the management token in memory. */
async function aKnownWorld(): Promise<World> {
  const world = await aWorld({ version: '1.11' })
  await world.manage('GET', '/acl/token/self')
  return world
}

test('reads from memory, and requests that need nothing else, are answered synchronously', async () => {
  const world = await aWorld({ version: '1.11' })
  const replyTo = (path: string) => world.service.reply(reading(path))
  const first = replyTo('/v1/acl/token/self')
  expect(first).toBeInstanceOf(Promise)
  expect(await first).toMatchObject({ status: 200 })
  // Now the rights of the caller are in memory.
  expect(replyTo('/v1/acl/token/self')).toMatchObject({ status: 200, endpoint: 'tokens.self' })
  expect(replyTo('/v1/nothing')).toMatchObject({ status: 404 })
  expect(replyTo('/v1/acl/token/not-an-id')).toMatchObject({ status: 400, endpoint: 'tokens.read' })
  const later = replyTo('/v1/acl/token/self?index=1000000&wait=1ms')
  expect(later).toBeInstanceOf(Promise)
  await world.clock.advance(1_000)
  expect(await later).toMatchObject({ status: 200 })
})

test.each(ROUTE_LIST.filter(({ method }) => method === 'GET'))(
  'GET $path: reply and handle return the same',
  async ({ path }) => {
    const [one, other] = [await aKnownWorld(), await aKnownWorld()]
    for (const param of [MANAGEMENT, ACCESSOR]) {
      const request = reading(path.replace(/:\w+/, param))
      const [replied, handled] = [await one.service.reply(request), await other.service.handle(request)]
      expect(replied.status).toBe(handled.status)
      expect(replied.headers).toEqual(handled.headers)
      if (typeof handled.body === 'string') expect(replied.body).toBe(handled.body)
    }
  },
)
