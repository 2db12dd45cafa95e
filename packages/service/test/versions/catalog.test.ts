/** The catalog, health and the headers of reads, at versions on both sides of every boundary. */
import { aWorld, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import { expectSince } from './rows.ts'

const OPEN = { defaultPolicy: 'allow' } as const

async function register({ ask }: World, body: object): Promise<void> {
  expect((await ask('PUT', '/catalog/register', { body: { Address: '10.0.0.1', ...body } })).status).toBe(200)
}

test('filter is ignored before 1.5.0, in the intentions list before 1.8.0, and node-meta before 0.7.3', () =>
  expectSince(
    { '0.7': [1, 200, 1], '0.9': [1, 200, 0], '1.5.0': [0, 200, 0], '1.8.0': [0, 400, 0] },
    async (world) => {
      await register(world, { Node: 'n', Service: { Service: 'web' } })
      const count = async (query: string) =>
        ((await world.ask('GET', `/catalog/service/web?${query}`)).json as unknown[]).length
      const { status } = await world.ask('GET', '/connect/intentions?filter=Bogus')
      return [await count('filter=ServicePort==1'), status, await count('node-meta=rack:1')]
    },
    OPEN,
  ))

test('filters have the operators contains and matches from 1.6.0', () =>
  expectSince(
    { '0.7': [200, 200, 200], '1.5.0': [400, 400, 200], '1.6.0': [200, 200, 200] },
    async ({ ask }) => {
      const filters = ['ServiceTags contains a', 'Node not matches "^n"', 'a in ServiceTags']
      const paths = filters.map((filter) => `/catalog/service/web?filter=${encodeURIComponent(filter)}`)
      return (await Promise.all(paths.map((path) => ask('GET', path)))).map(({ status }) => status)
    },
    OPEN,
  ))

test('reads report their effective consistency from 1.0.7, and the query backend from 1.10 (spec 4.1)', () =>
  expectSince(
    { '0.7': [undefined, undefined], '1.0.7': ['stale', undefined], '1.10': ['stale', 'blocking-query'] },
    async ({ ask }) => {
      const { headers } = await ask('GET', '/health/state/any?stale')
      return [headers['X-Service-Effective-Consistency'], headers['X-Service-Query-Backend']]
    },
    OPEN,
  ))

test('a service has its own index from 1.0.7, and an absent service the index of the last removal from 1.4.1 (spec 9.3)', () =>
  expectSince(
    {
      '0.7': ['nodes', 'checks', 'nodes', 'checks'],
      '1.0.7': ['web', 'web', 'nodes', 'checks'],
      '1.4.1': ['web', 'web', 'end', 'end'],
    },
    async (world) => {
      const indexes = new Map<string, string>()
      const tables = ['nodes', 'services', 'checks'] as const
      const note = (name: string) =>
        indexes.set(String(Math.max(...tables.map((table) => world.store.tableIndex(table)))), name)
      await register(world, { Node: 'n', Service: { Service: 'web' } })
      note('web')
      await register(world, { Node: 'm', Service: { Service: 'old' } })
      await world.ask('PUT', '/catalog/deregister', { body: { Node: 'm', ServiceID: 'old' } })
      note('end')
      await register(world, { Node: 'o' })
      note('nodes')
      await register(world, { Node: 'o', Check: { Name: 'disk' } })
      note('checks')
      const paths = ['/catalog/service/web', '/health/service/web', '/catalog/service/x', '/health/service/x']
      const shown = paths.map(async (path) => (await world.ask('GET', path)).headers['X-Service-Index'])
      return (await Promise.all(shown)).map((index) => indexes.get(index ?? '') ?? index)
    },
    OPEN,
  ))

test('summaries of services include their datacenter and mesh connection from 1.11', () =>
  expectSince(
    { '0.7': [undefined, undefined, undefined], '1.11': ['dc1', false, false] },
    async (world) => {
      await register(world, { Node: 'n', Service: { Service: 'web' } })
      const { json } = await world.ask('GET', '/internal/ui/services')
      const summary = (json as Record<string, unknown>[]).find(({ Name }) => Name === 'web')
      return ['Datacenter', 'ConnectedWithProxy', 'ConnectedWithGateway'].map((key) => summary?.[key])
    },
    OPEN,
  ))

test('a node can be read by two or more characters of its ID, if only one node matches', async () => {
  const world = await aWorld(OPEN)
  await register(world, { Node: 'a', ID: 'aaaaaaaa-0000-4000-8000-000000000001' })
  await register(world, { Node: 'b', ID: 'aaaabbbb-0000-4000-8000-000000000001' })
  const nodes = ['a', 'AAAAB', 'aaaaaa', 'aaaaaaaa-0000-4000-8000-000000000001', 'aaaa', 'c', '..'].map(
    async (text) => {
      const { json } = await world.ask('GET', `/catalog/node/${text}`)
      return (json as { Node: { Node: string } } | null)?.Node.Node
    },
  )
  expect(await Promise.all(nodes)).toEqual(['a', 'b', 'a', 'a', undefined, undefined, undefined])
})
