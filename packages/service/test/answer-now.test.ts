/** What the service answers synchronously. */
import { ROUTE_LIST } from '@latchkey/contract'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeAll, describe, expect, test } from 'vitest'

const ACCESSOR = 'b0000000-0000-4000-8000-00000000000b'

const BLOCKING = ROUTE_LIST.filter(({ blocking }) => blocking !== undefined).map(({ name }) => name)

function answerNow({ service }: World, path: string) {
  const headers: Readonly<Record<string, string>> = { 'x-service-token': MANAGEMENT }
  return service.answerNow({
    method: 'GET',
    url: path,
    header: (name) => headers[name],
    readBody: () => Promise.reject(new Error('a read has no body')),
    requestId: 'request-1',
  })
}

describe.each(['0.9', '1.11'] as const)('version %s', (version) => {
  let world: World
  beforeAll(async () => {
    world = await aWorld({ version })
    // The rights of the caller are in memory from now on.
    await world.ask('GET', '/kv/a', { token: MANAGEMENT })
  })

  test.each(ROUTE_LIST)(
    'GET $path begins no write, which it reaches before 1.0 (spec 9.4)',
    async ({ path }) => {
      const before = world.store.tableIndex('changes')
      for (const param of [MANAGEMENT, ACCESSOR]) {
        const reply = answerNow(world, path.replace(/:\w+/, param))
        if (reply) expect(BLOCKING).toContain(reply.endpoint)
      }
      await new Promise((resolve) => setImmediate(resolve))
      expect(world.store.tableIndex('changes')).toBe(before)
    },
  )
})

test('a read from memory has the reply of handle; one that waits, or is refused, has none', async () => {
  const world = await aWorld({ version: '1.11' })
  expect(answerNow(world, '/v1/acl/token/self')).toBeUndefined()
  // Now the rights of the caller are in memory.
  await world.manage('GET', '/acl/token/self')
  expect(answerNow(world, '/v1/acl/token/self')).toMatchObject({ status: 200, endpoint: 'tokens.self' })
  expect(answerNow(world, '/v1/acl/token/self?index=1000000&wait=1s')).toBeUndefined()
  expect(answerNow(world, '/v1/acl/token/self?dc=nowhere')).toBeUndefined()
  expect(answerNow(world, '/v1/nothing')).toBeUndefined()
})
