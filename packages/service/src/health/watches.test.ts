import { settle } from '@latchkey/testkit/service/virtual-clock'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

const register = ({ manage }: World, body: object) =>
  manage('PUT', '/catalog/register', { Node: 'n', Address: '10.0.0.1', ...body })

async function indexOf(world: World, path: string): Promise<number> {
  return Number((await world.ask('GET', path, { token: MANAGEMENT })).headers['X-Service-Index'])
}

test('until a service is lost, the index of an absent one is that of the tables that the answer would show', async () => {
  const world = await aWorld()
  await register(world, { Service: { Service: 'web' } })
  const paths = ['/catalog/service/none', '/health/service/none']
  const before = await Promise.all(paths.map((path) => indexOf(world, path)))
  await register(world, { Check: { Name: 'c', Status: 'passing' } })
  const after = await Promise.all(paths.map((path) => indexOf(world, path)))
  expect(after.map((index, i) => index - (before[i] ?? 0))).toEqual([0, 1])
})

test.each([
  ['', true],
  ['&passing', false],
  ['&tag=none', false],
  ['&node-meta=of:none', false],
  ['&filter=Service.Port==1', false],
])(
  'a wait with %j for a service ends when a hidden part of it changes: %j (decisions: blocking queries)',
  async (query, ends) => {
    const world = await aWorld()
    const check = (Status: string) => ({ Check: { Name: 'c', Status } })
    await register(world, { Service: { Service: 'web' }, ...check('critical') })
    const path = '/health/service/web'
    const index = await indexOf(world, path)
    let hasEnded = false
    const waiting = world.ask('GET', `${path}?index=${index}&wait=1m${query}`, { token: MANAGEMENT })
    const done = waiting.then((reply) => {
      hasEnded = true
      return reply
    })
    await settle()
    await register(world, check('warning'))
    await settle()
    expect(hasEnded).toBe(ends)
    world.clock.advance(120_000)
    await done
  },
)
