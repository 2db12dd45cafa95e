import { putOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

const CHECK = { ID: 'heart', Name: 'heart', TTL: '10s', Status: 'passing' }

async function aWorldWith(check: object): Promise<World> {
  const world = await aWorld()
  await world.ask('PUT', '/agent/check/register', { token: MANAGEMENT, body: { ...CHECK, ...check } })
  return world
}

const pass = (world: World, note = '') =>
  world.ask('PUT', `/agent/check/pass/heart?note=${note}`, { token: MANAGEMENT })
const stored = ({ store }: World) => store.catalog().check('n1', 'heart')

test('a heartbeat that changes nothing moves the deadline without a commit (decisions: agent)', async () => {
  const world = await aWorldWith({})
  const index = world.store.tableIndex('checks')
  for (let beat = 0; beat < 5; beat += 1) {
    await world.clock.advance(9_999)
    await pass(world)
  }
  expect(stored(world)?.Status).toBe('passing')
  expect(world.store.tableIndex('checks')).toBe(index)
})

test('a TTL check without a timely report is critical and shows its last output; a report makes it pass again', async () => {
  const world = await aWorldWith({})
  await pass(world, 'fine')
  await world.clock.advance(9_999)
  expect(stored(world)?.Status).toBe('passing')
  await world.clock.advance(1)
  expect(stored(world)).toMatchObject({
    Status: 'critical',
    Output: 'TTL expired (last output before timeout follows): fine',
  })
  await pass(world)
  expect(stored(world)).toMatchObject({ Status: 'passing', Output: '' })
})

test('changed output is shown by the agent immediately, and written to the catalog minutes later', async () => {
  const world = await aWorldWith({ TTL: '1h' })
  await pass(world, 'new')
  expect(stored(world)?.Output).toBe('')
  expect(await world.manage('GET', '/agent/checks')).toMatchObject({ heart: { Output: 'new' } })
  await world.clock.advance(450_000)
  expect(stored(world)?.Output).toBe('new')
})

test('a report to another process takes the check over, and the first process releases it', async () => {
  const world = await aWorldWith({})
  const check = stored(world)
  if (!check?.Agent) throw new Error('the check has no agent')
  const record = { ...check, Agent: { ...check.Agent, process: 'another' } }
  await world.store.commit([putOf('checks', record, check.ModifyIndex)])
  await world.clock.advance(60_000)
  expect(stored(world)?.Status).toBe('passing')
})
