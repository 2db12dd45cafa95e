/** Bodies of registrations over the API. The conformance suite tests what every server accepts and shows of them. */
import { aWorld, MANAGEMENT, type World } from '@latchkey/testkit/service/world'
import { beforeAll, expect, test } from 'vitest'

let world: World
beforeAll(async () => {
  world = await aWorld()
})

const put = (path: string, body: object) => world.ask('PUT', path, { token: MANAGEMENT, body })
const register = (body: object) => put('/agent/service/register', body)

test('names inside tagged addresses match case-insensitively (decisions: agent, catalog)', async () => {
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

test('names inside Proxy, Connect and Definition match case-insensitively (decisions: agent, catalog)', async () => {
  const proxy = {
    destination_service_name: 'web',
    config: { x_y: null },
    upstreams: [{ destination_name: 'db' }],
  }
  const services = [
    { name: 'native', connect: { native: true } },
    { name: 'proxy', kind: 'connect-proxy', port: 1, proxy },
  ]
  for (const { name: service, ...body } of services) {
    expect(await register({ name: service, ...body })).toMatchObject({ status: 200 })
    const registered = { Node: 'n3', Address: '10.0.0.1', Service: { service, ...body } }
    expect(await put('/catalog/register', registered)).toMatchObject({ status: 200 })
  }
  const native = { ServiceName: 'native', ServiceConnect: { Native: true } }
  expect(await world.manage('GET', '/catalog/connect/native')).toMatchObject([native, native])
  const ServiceProxy = {
    DestinationServiceName: 'web',
    Config: { x_y: null },
    Upstreams: [{ DestinationName: 'db' }],
  }
  const shown = { ServiceName: 'proxy', ServiceProxy }
  expect(await world.manage('GET', '/catalog/connect/web')).toMatchObject([shown, shown])
  const Check = {
    name: 'disk',
    definition: { http: 'http://a', interval: '10s', tls_skip_verify: true, Foo: 1 },
  }
  await world.manage('PUT', '/catalog/register', { Node: 'n3', Address: '10.0.0.1', Check })
  const Definition = { Interval: '10s', HTTP: 'http://a', TLSSkipVerify: true }
  expect(await world.manage('GET', '/health/node/n3')).toMatchObject([{ Definition }])
})

test.each<readonly [object, string, string]>([
  [{ Proxy: { Bogus: 1 } }, 'field_unknown', 'Proxy.Bogus'],
  [{ Proxy: { Upstreams: 5 } }, 'field_type', 'Proxy.Upstreams'],
  [{ Proxy: { Upstreams: [{ Bogus: 1 }] } }, 'field_unknown', 'Proxy.Upstreams[0].Bogus'],
  [{ Proxy: { Expose: { Paths: [{ Path: 1 }] } } }, 'field_type', 'Proxy.Expose.Paths[0].Path'],
  [{ Connect: { Foo: 1 } }, 'field_unknown', 'Connect.Foo'],
  [{ Connect: { Native: 'yes' } }, 'field_type', 'Connect.Native'],
  [{ Connect: { sidecar_service: {} } }, 'field_invalid', 'Connect.SidecarService'],
])('400: %j inside a service is %s of %s', async (body, code, field) => {
  const registered = { Node: 'n4', Address: '10.0.0.1', Service: { Service: 'web', ...body } }
  for (const reply of [
    await register({ Name: 'web', ...body }),
    await put('/catalog/register', registered),
  ]) {
    expect(reply).toMatchObject({ status: 400, code, text: expect.stringContaining(field) })
  }
})

test('before 1.7.0 unknown fields inside a service are ignored (spec 9.3)', async () => {
  const before = await aWorld({ version: '1.6.3' })
  const body = { Name: 'web', Proxy: { Bogus: 1 }, Connect: { Foo: 1 } }
  await before.ask('PUT', '/agent/service/register', { token: MANAGEMENT, body })
  expect(await before.manage('GET', '/catalog/service/web')).toMatchObject([{ ServiceConnect: {} }])
})
