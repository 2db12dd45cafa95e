/** Coordinates of nodes. Decisions: coordinates. */

import { aNode } from '@latchkey/testkit/records/catalog-builders'
import { putOf } from '@latchkey/testkit/records/changes'
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import { CoordinateUpdates } from './coordinates.ts'

const coord = (x: number) => ({ Vec: [x, 0, 0, 0, 0, 0, 0, 0], Error: 1.5, Adjustment: 0, Height: 0 })

async function aNetwork(...names: string[]): Promise<World> {
  const world = await aWorld()
  for (const Node of names) {
    await world.store.commit([putOf('nodes', aNode({ Node }), 0)])
  }
  return world
}

test('a report is answered with the registered spelling of the node, and an equal report changes nothing', async () => {
  const { manage, ask, store } = await aNetwork('Alpha')
  const report = { Node: 'ALPHA', Coord: coord(1) }
  expect((await ask('PUT', '/coordinate/update', { token: MANAGEMENT, body: report })).text).toBe('')
  const shown = [{ Node: 'Alpha', Segment: '', Coord: coord(1) }]
  expect(await manage('GET', '/coordinate/nodes')).toEqual(shown)
  expect(await manage('GET', '/coordinate/node/alpha')).toEqual(shown)
  const index = store.commitIndex()
  await ask('PUT', '/coordinate/update', { token: MANAGEMENT, body: report })
  expect(store.commitIndex()).toBe(index)
})

test('callers see the coordinates of nodes that they may read', async () => {
  const { ask, secretWith } = await aNetwork('a', 'b')
  for (const Node of ['a', 'b']) {
    await ask('PUT', '/coordinate/update', { token: MANAGEMENT, body: { Node, Coord: coord(1) } })
  }
  const token = await secretWith('node "a" { policy = "read" }')
  expect((await ask('GET', '/coordinate/nodes', { token })).json).toMatchObject([{ Node: 'a' }])
  expect((await ask('GET', '/coordinate/node/a', { token })).status).toBe(200)
  expect((await ask('GET', '/coordinate/node/b', { token })).code).toBe('privilege_missing')
  const body = { Node: 'a', Coord: coord(2) }
  expect((await ask('PUT', '/coordinate/update', { token, body })).code).toBe('privilege_missing')
})

test('reports are collected; only the last one of each node is written, and deleted nodes are left out', async () => {
  const { store, manage } = await aNetwork('a', 'b')
  const updates = new CoordinateUpdates()
  for (const [Node, x] of Object.entries({ a: 1, gone: 1, b: 1, A: 2 } as const)) {
    updates.add({ Node, Segment: '', Coord: coord(x) })
  }
  const index = store.commitIndex()
  await updates.write(store)
  expect(store.commitIndex()).toBe(index + 1)
  expect(await manage('GET', '/coordinate/nodes')).toMatchObject([
    { Node: 'a', Coord: coord(2) },
    { Node: 'b', Coord: coord(1) },
  ])
  await updates.write(store)
  expect(store.commitIndex()).toBe(index + 1)
})

test('reports that cannot be written stay pending', async () => {
  const { store, manage } = await aNetwork('a')
  const updates = new CoordinateUpdates()
  updates.add({ Node: 'a', Segment: '', Coord: coord(1) })
  const broken = new Proxy(store, {
    get: (target, name) =>
      name === 'commit' ? () => Promise.reject(new Error('away')) : Reflect.get(target, name, target),
  })
  await expect(updates.write(broken)).rejects.toThrow('away')
  await updates.write(store)
  expect(await manage('GET', '/coordinate/nodes')).toHaveLength(1)
})
