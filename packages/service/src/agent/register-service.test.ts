/** Bodies of registrations over the API. What every server accepts and shows of them is in the conformance suite. */
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeAll, expect, test } from 'vitest'

let world: World
beforeAll(async () => {
  world = await aWorld()
})

const put = (path: string, body: object) => world.ask('PUT', path, { token: MANAGEMENT, body })
const register = (body: object) => put('/agent/service/register', body)

test('names inside tagged addresses match without case (decisions: agent, catalog)', async () => {
  const tagged_addresses = { lan: { address: '1.2.3.4', port: 5 } }
  expect(await register({ name: 'tagged', tagged_addresses })).toMatchObject({ status: 200 })
  const registered = { Node: 'n2', Address: '10.0.0.1', Service: { Service: 'tagged', tagged_addresses } }
  expect(await put('/catalog/register', registered)).toMatchObject({ status: 200 })
  const ServiceTaggedAddresses = { lan: { Address: '1.2.3.4', Port: 5 } }
  expect(await world.manage('GET', '/catalog/service/tagged')).toMatchObject([
    { ServiceTaggedAddresses },
    { ServiceTaggedAddresses },
  ])
})
