import type { Changes, PromotedDatacenter } from '@latchkey/contract'
import { aSecondary } from '@latchkey/testkit/replication/secondary'
import { aWorld, type World } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'

/** Makes `follower` follow a datacenter; a request to its server is the only link. */
function follow({ store, clock }: World, primary: World, primaryDatacenter: string) {
  const secondary = aSecondary(primary, { store, clock, primaryDatacenter })
  /** Steps until nothing is new, and returns the last message. */
  return async (): Promise<string | undefined> => {
    const { outcome } = await secondary.settle()
    if (outcome === 'ended') return 'ended'
    return ['failed', 'paused'].includes(outcome) ? secondary.status().lastErrorMessage : undefined
  }
}

const globals = async ({ store }: World) => {
  const found: string[] = []
  for await (const page of store.tokens({ local: false }))
    found.push(...page.map(({ AccessorID, SecretID, Hash }) => `${AccessorID} ${SecretID} ${Hash}`))
  return found.sort()
}

const clusterOf = async (world: World) => ((await world.manage('GET', '/acl/changes')) as Changes).Cluster
const promote = async (world: World, Datacenter: string) =>
  (await world.manage('PUT', '/acl/replication/promote', { Datacenter })) as PromotedDatacenter
const accept = (world: World, Cluster: string) => world.manage('PUT', '/acl/replication/accept', { Cluster })

test('the primary is lost, a secondary takes over, and the others and the old primary follow it once an operator accepts it', async () => {
  const one = await aWorld({ seed: 1 })
  const [two, three] = await Promise.all(
    [2, 3].map((seed) =>
      aWorld({ seed, datacenter: `dc${seed}`, primaryDatacenter: 'dc1', isBootstrapped: false }),
    ),
  )
  if (!two || !three) throw new Error('there are three')
  const kept = await one.token({ Description: 'kept' })
  const [twoFollowsOne, threeFollowsOne] = [follow(two, one, 'dc1'), follow(three, one, 'dc1')]
  expect(await twoFollowsOne()).toBeUndefined()
  expect(await threeFollowsOne()).toBeUndefined()
  const before = await globals(one)
  const lost = await one.token({ Description: 'acknowledged by the old primary alone' })

  const { Cluster } = await promote(two, 'dc2')
  expect(await twoFollowsOne()).toBe('ended')
  expect(await globals(two)).toEqual(before)
  const made = await two.token({ Description: 'made after the promotion' })

  const threeFollowsTwo = follow(three, two, 'dc2')
  expect(await threeFollowsTwo()).toMatch(/paused: the primary is another cluster/)
  expect(await three.store.tokenByAccessor(made.AccessorID)).toBeUndefined()
  await accept(three, Cluster)
  expect(await threeFollowsTwo()).toBeUndefined()
  expect(await globals(three)).toEqual(await globals(two))

  // Following the old primary again would be a mistake.
  const again = follow(three, one, 'dc1')
  expect(await again()).toMatch(/dc1 is not the primary any more/)
  expect(await globals(three)).toEqual(await globals(two))

  const oneAsSecondary = await aWorld({ twinOf: one, datacenter: 'dc1', primaryDatacenter: 'dc2' })
  const oneFollowsTwo = follow(oneAsSecondary, two, 'dc2')
  expect(await oneFollowsTwo()).toMatch(/has records of its own: accept/)
  expect(await one.store.tokenByAccessor(lost.AccessorID)).toBeDefined()
  await accept(oneAsSecondary, Cluster)
  expect(await oneFollowsTwo()).toBeUndefined()
  expect(await globals(one)).toEqual(await globals(two))
  expect(await one.store.tokenByAccessor(kept.AccessorID)).toBeDefined()
  expect(await one.store.tokenByAccessor(lost.AccessorID)).toBeUndefined()

  // The old primary takes over again, with an index above all indexes of both.
  const { Index } = await promote(oneAsSecondary, 'dc1')
  expect(Index).toBeGreaterThan(two.store.commitIndex())
  await accept(two, await clusterOf(one))
  const twoAgain = follow(two, one, 'dc1')
  await one.token()
  expect(await twoAgain()).toBeUndefined()
  expect(await globals(two)).toEqual(await globals(one))
})

test('a promotion by mistake is undone by accepting the old primary again', async () => {
  const one = await aWorld({ seed: 1 })
  const two = await aWorld({ seed: 2, datacenter: 'dc2', primaryDatacenter: 'dc1', isBootstrapped: false })
  await follow(two, one, 'dc1')()
  await promote(two, 'dc2')
  await two.token()
  await one.token()
  await accept(two, await clusterOf(one))
  expect(await follow(two, one, 'dc1')()).toBeUndefined()
  expect(await globals(two)).toEqual(await globals(one))
})
