import { ROUTE_LIST } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { isOnFastLane } from './fast-lane.ts'

const urlOf = (path: string) => path.replaceAll(/:\w+/g, 'x')

test('the lane takes the blocking reads of the contract, and no other route', () => {
  const onLane = ROUTE_LIST.filter(({ method, path }) => isOnFastLane({ method, url: urlOf(path) }))
  expect(onLane.map(({ name }) => name).toSorted()).toEqual(
    ROUTE_LIST.filter(({ method, blocking }) => method === 'GET' && blocking !== undefined)
      .map(({ name }) => name)
      .toSorted(),
  )
})

test('no GET on the path of a write is on the lane, unless it is a read itself: before 1.0 it writes (spec 9.4)', () => {
  const writes = ROUTE_LIST.filter(({ method }) => method !== 'GET')
  const reads = new Set(ROUTE_LIST.filter(({ method }) => method === 'GET').map(({ path }) => path))
  const onLane = writes.filter(({ path }) => isOnFastLane({ method: 'GET', url: urlOf(path) }))
  // Below the path of a read by id, GET reads the record whose id is the rest of the path.
  expect(onLane.filter(({ path }) => !reads.has(path)).map(({ name }) => name)).toEqual([
    'tokens.clone',
    'policies.whatIf',
    'authMethods.explain',
  ])
})

test.each([
  ['/v1/acl/token/self', true],
  ['/v1/acl/token/self?pretty&index=7', true],
  ['/v1/kv/a/b//c', true],
  ['/v1/kv/a?separator=%2F', true],
  ['/v1/kv/a%2Fb', false],
  ['/v1/%61cl/token/self', false],
  ['//v1/acl/token/self', false],
  ['/v1', false],
  ['/v1/', false],
  ['/v1/nothing', false],
  ['/V1/acl/token/self', false],
  ['/livez', false],
  ['http://127.0.0.1/v1/acl/token/self', false],
  ['*', false],
  ['', false],
])('GET %s: on the lane: %j', (url, isOn) => {
  expect(isOnFastLane({ method: 'GET', url })).toBe(isOn)
  for (const method of ['HEAD', 'OPTIONS', 'PUT', 'get']) expect(isOnFastLane({ method, url })).toBe(false)
})
