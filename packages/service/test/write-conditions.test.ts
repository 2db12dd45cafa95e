/** COH-09: a write only applies to the version of the record on which it was decided. */

import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { describe, expect, test } from 'vitest'

/** A record: its path, and a body that updates it. */
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

/** Runs `work` between the next decision and its commit, and counts the commits that follow. */
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

  test('404: an update does not recreate a record deleted before the commit', async () => {
    const world = await aWorld({ edition: 'extended' })
    const { path, body } = await make(world)
    beforeNextCommit(world, () => world.manage('DELETE', path))
    expect((await ask(world, 'PUT', path, body)).status).toBe(404)
    expect((await ask(world, 'GET', path)).status).toBe(404)
  })

  test('404: a delete of a record deleted before the commit', async () => {
    const world = await aWorld({ edition: 'extended' })
    const { path } = await make(world)
    beforeNextCommit(world, () => world.manage('DELETE', path))
    expect((await ask(world, 'DELETE', path)).status).toBe(404)
  })

  test.each(['PUT', 'DELETE'])(
    '%s: decides again if the record changed before the commit',
    async (method) => {
      const world = await aWorld({ edition: 'extended' })
      const { path, body } = await make(world)
      const counts = beforeNextCommit(world, () => world.manage('PUT', path, { ...body, Description: 'x' }))
      expect((await ask(world, method, path, method === 'PUT' ? body : undefined)).status).toBe(200)
      expect(counts.commits).toBe(2)
    },
  )
})
