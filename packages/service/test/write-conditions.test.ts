/** COH-09: a write that was decided on a record holds only for the version of it that was read. */

import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

/** A record of each kind: where it is read and deleted, and a body that updates it. */
interface Made {
  readonly path: string
  readonly body: object
}

const GLOBAL = { Policies: [{ Name: 'global-management' }] }
const RECORDS: readonly (readonly [kind: string, make: (world: World) => Promise<Made>])[] = [
  ['token', async (world) => ({ path: `/acl/token/${(await world.token()).AccessorID}`, body: {} })],
  [
    'policy',
    async (world) => ({ path: `/acl/policy/${(await world.policy({ Name: 'p' })).ID}`, body: { Name: 'p' } }),
  ],
  [
    'role',
    async (world) => {
      const body = { Name: 'r', ...GLOBAL }
      return { path: `/acl/role/${(await world.role(body)).ID}`, body }
    },
  ],
  [
    'namespace',
    async (world) => {
      await world.manage('PUT', '/namespace', { Name: 'team' })
      return { path: '/namespace/team', body: { Name: 'team' } }
    },
  ],
]

/** Does something else when the next decision was made and before it is committed; counts the commits that follow. */
function beforeNextCommit({ store }: World, work: () => Promise<unknown>): { readonly commits: number } {
  const commit = store.commit.bind(store)
  const counts = { commits: 0 }
  const counted: typeof commit = (changes) => {
    counts.commits += 1
    return commit(changes)
  }
  store.commit = async (changes) => {
    store.commit = commit
    await work()
    store.commit = counted
    return counted(changes)
  }
  return counts
}

describe.each(RECORDS)('a %s', (_kind, make) => {
  const ask = (world: World, method: string, path: string, body?: object) =>
    world.ask(method, path, { token: MANAGEMENT, body })

  test('404: one that is deleted before an update of it is committed stays deleted', async () => {
    const world = await aWorld({ edition: 'extended' })
    const { path, body } = await make(world)
    beforeNextCommit(world, () => world.manage('DELETE', path))
    expect((await ask(world, 'PUT', path, body)).status).toBe(404)
    expect((await ask(world, 'GET', path)).status).toBe(404)
  })

  test('404: one that is deleted before a delete of it is committed is not deleted twice', async () => {
    const world = await aWorld({ edition: 'extended' })
    const { path } = await make(world)
    beforeNextCommit(world, () => world.manage('DELETE', path))
    expect((await ask(world, 'DELETE', path)).status).toBe(404)
  })

  test.each(['PUT', 'DELETE'])(
    '%s: one that is changed before the commit is decided on again',
    async (method) => {
      const world = await aWorld({ edition: 'extended' })
      const { path, body } = await make(world)
      const counts = beforeNextCommit(world, () => world.manage('PUT', path, { ...body, Description: 'x' }))
      expect((await ask(world, method, path, method === 'PUT' ? body : undefined)).status).toBe(200)
      expect(counts.commits).toBe(2)
    },
  )
})
