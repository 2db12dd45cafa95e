import { SeededRandom } from '@latchkey/acl'
import type { ServiceRecord } from '@latchkey/catalog'
import { chooseSeed, fuzzCount } from '@latchkey/testkit/random'
import { aService } from '@latchkey/testkit/records/catalog-builders'
import { aWorld, MANAGEMENT } from '@latchkey/testkit/service/world'
import { expect, test } from 'vitest'
import type { Caller } from '../caller/caller.ts'
import { HealthCache } from './health-cache.ts'

test('an answer is not reused for another catalog with the same index', () => {
  const kept = new HealthCache()
  const caller = { authorizer: { policies: {} }, isGlobal: true } as unknown as Caller
  const of = (instances: readonly ServiceRecord[], text: string) =>
    kept.of({ caller }, 'web', { index: 7, instances }, () => ({ text: text as never, hasHidden: false }))
      .text
  const [before, after] = [[aService()], [aService()]]
  expect([of(before, 'first'), of(before, 'same'), of(after, 'other')]).toEqual(['first', 'first', 'other'])
})

const STEPS = fuzzCount(60)
const NODES = ['n1', 'n2']
const SERVICES = ['web', 'api']

test('a kept answer equals a fresh one, for every caller and after every change', async () => {
  const world = await aWorld()
  const random = new SeededRandom(chooseSeed('kept answers of health/service'))
  await world.policy({ Name: 'changing', Rules: '' })
  const secrets = [
    MANAGEMENT,
    await world.secretWith('node_prefix "" { policy = "read" }\nservice_prefix "" { policy = "read" }'),
    await world.secretWith('node "n1" { policy = "read" }\nservice_prefix "" { policy = "read" }'),
    await world.secretWith('', { Policies: [{ Name: 'changing' }] }),
  ]
  const policy = (await world.manage('GET', '/acl/policy/name/changing')) as { readonly ID: string }
  const change = random.weighted.bind(random)
  for (let step = 0; step < STEPS; step += 1) {
    const Node = random.pick(NODES)
    const Service = random.pick(SERVICES)
    const Check = { Name: random.pick(['node', Service]), Status: random.pick(['passing', 'critical']) }
    const ServiceID = Check.Name === 'node' ? '' : Service
    const Address = `10.0.0.${random.below(3)}`
    await change<() => Promise<unknown>>([
      [
        6,
        () => {
          const body = {
            Node,
            Address,
            Service: { Service, Port: random.below(3) },
            Check: { ...Check, ServiceID },
          }
          return world.manage('PUT', '/catalog/register', body)
        },
      ],
      [1, () => world.manage('PUT', '/catalog/deregister', { Node, ServiceID: Service })],
      [1, () => world.manage('PUT', '/catalog/deregister', { Node })],
      [
        1,
        () => {
          const Rules = `node "${Node}" { policy = "read" }\nservice "${Service}" { policy = "read" }`
          return world.manage('PUT', `/acl/policy/${policy.ID}`, { Name: 'changing', Rules })
        },
      ],
    ])()
    for (const token of secrets) {
      for (const query of ['', 'passing', 'passing=false', 'pretty']) {
        const path = `/health/service/${Service}?${query}`
        // `near` with a node that has no coordinate sorts nothing, but prevents caching.
        const paths = [path, `${path}&near=none`]
        const [kept, fresh] = await Promise.all(paths.map((one) => world.ask('GET', one, { token })))
        const shown = (reply: typeof kept) => [
          reply?.status,
          reply?.text,
          reply?.headers['X-Service-Index'],
          reply?.headers['X-Service-Results-Filtered-By-ACLs'],
        ]
        expect(shown(kept), `step ${step}: ${path}`).toEqual(shown(fresh))
      }
    }
  }
})
