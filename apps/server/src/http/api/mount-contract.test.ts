import { ROUTE_LIST } from '@latchkey/contract'
import express from 'express'
import { expect, test } from 'vitest'
import { expressPath, mountContract } from './mount-contract.ts'

test('every route of the contract is a route of the Express app, in the order of the contract', () => {
  const app = express()
  mountContract(app, () => {})
  const mounted = app.router.stack.map(({ route }) => ({
    method: route?.stack[0]?.method,
    path: route?.path,
  }))
  expect(mounted).toEqual(
    ROUTE_LIST.map((route) => ({ method: route.method.toLowerCase(), path: expressPath(route) })),
  )
})

test.each([
  ['/v1/acl/tokens', '/v1/acl/tokens'],
  ['/v1/kv/:Key', '/v1/kv/*Key'],
  ['/v1/acl/policy/:ID/what-if', '/v1/acl/policy/*ID/what-if'],
])('%s is %s on Express', (path, expected) => {
  expect(expressPath({ path })).toBe(expected)
})
