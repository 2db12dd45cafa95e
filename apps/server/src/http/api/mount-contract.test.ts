import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { decodePath, matchPath, ROUTE_LIST, type RouteMatch } from '@latchkey/contract'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { aWorld } from '@latchkey/testkit/service/world'
import express from 'express'
import { expect, test } from 'vitest'
import { isOnFastLane, mountContract } from './mount-contract.ts'

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE', 'PATCH']
const PIECES = [
  ...['a', 'A', '.', '..', '%2F', '%2f', '%2e', '%61', '%zz', '%', '%00', '//', '/', 'self', 'name', 'clone'],
  ...[
    'what-if',
    '?',
    '?a=%zz',
    '#',
    '\\',
    '{',
    '|',
    ';',
    'caf\u00e9',
    '\u00a0',
    '\u007f',
    'http://x',
    '*',
    '"',
    "'",
  ],
]

/** A request of the contract with a few parts changed. */
function oddRequest(random: SeededRandom) {
  const route = random.pick(ROUTE_LIST)
  const parts = route.path.replace(/:\w+/g, () => (random.chance(0.7) ? 'x' : random.pick(PIECES))).split('/')
  for (let changes = random.below(3); changes > 0; changes -= 1) {
    const at = random.below(parts.length)
    const piece = random.pick(PIECES)
    if (random.chance(0.3)) parts.splice(at, 1)
    else if (random.chance(0.5)) parts.splice(at, 0, piece)
    else parts[at] += random.chance(0.5) ? piece : piece.toUpperCase()
  }
  const method = random.chance(0.7) ? route.method : random.pick(METHODS)
  return { method, url: parts.join('/') }
}

test('10,000 odd paths find the same route or refusal by Express as by the service itself', async () => {
  const random = new SeededRandom(chooseSeed('odd paths'))
  const worlds = await Promise.all(['0.9', '1.11'].map((version) => aWorld({ version })))
  const found: (RouteMatch | undefined)[] = []
  const app = express().enable('case sensitive routing').enable('strict routing')
  mountContract(app, (_request, _response, match) => {
    found.push(match)
  })
  app.use(() => {})
  let matches = 0
  const names = new Set<string>()
  for (let i = 0; i < 10_000; i += 1) {
    const { method, url } = oddRequest(random)
    const request = Object.assign(new IncomingMessage(new Socket()), { method, url })
    app(request, new ServerResponse(request))
    const match = found.pop()
    if (!match) continue
    matches += 1
    names.add(match.name)
    const [path = ''] = url.split('?')
    if (!path.includes('//')) {
      expect(match, `${method} ${url}`).toEqual(
        matchPath(decodePath(path).slice(3))?.routeOf(match.endpoint.method),
      )
    }
    for (const { service } of worlds) {
      const wire = {
        method,
        url,
        header: () => undefined,
        readBody: async () => new Uint8Array(),
        requestId: 'a',
      }
      const [alone, matched] = await Promise.all([service.handle(wire), service.handle({ ...wire, match })])
      const { status, headers, endpoint } = alone
      expect(matched, `${method} ${url}`).toMatchObject({ status, headers, endpoint })
    }
  }
  expect(matches).toBeGreaterThan(1_500)
  expect(names).toEqual(new Set(ROUTE_LIST.map(({ name }) => name)))
})

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
