import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { ROUTE_LIST } from '@latchkey/contract'
import express from 'express'
import { expect, test } from 'vitest'
import { expressPath, mountContract } from './mount-contract.ts'

test('every route of the contract is a route of the Express app, which shows it the whole path', async () => {
  const app = express().enable('case sensitive routing').enable('strict routing')
  mountContract(app, (request, response) => {
    response.json([request.method, request.url])
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const ask = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${port}${path}`, { method })
  const requests = ROUTE_LIST.map(
    ({ method, path }) => [method, `${path.replaceAll(/:\w+/g, 'x/y')}?a`] as const,
  )
  const answers = requests.map(async ([method, url]) => (await ask(url, method)).json())
  expect(await Promise.all(answers)).toEqual(requests)
  const others = ['/v1', '/v1/', '/V1/acl/tokens', '/v1/none', '/v1/acl/tokens/', '/x/acl/tokens']
  const statuses = others.map(async (path) => (await ask(path)).status)
  expect(await Promise.all(statuses)).toEqual(others.map(() => 404))
  server.close()
})

test.each([
  ['/v1/acl/tokens', '/v1/acl/tokens'],
  ['/v1/kv/:Key', '/v1/kv/*Key'],
  ['/v1/acl/policy/:ID/what-if', '/v1/acl/policy/*ID/what-if'],
])('%s is %s on Express', (path, expected) => {
  expect(expressPath({ path })).toBe(expected)
})
