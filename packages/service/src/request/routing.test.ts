import { limits, parseServiceVersion, profileOf, REQUIRED_METHODS } from '@latchkey/contract'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { type Routing, route } from './routing.ts'

type Profiled = Parameters<typeof route>[2]

const aService = (version: string, edition: Profiled['edition'] = 'standard'): Profiled => ({
  profile: profileOf(parseServiceVersion(version)),
  edition,
})
const service = (version: string) => aService(version)
const newest = service('1.11')

/** The result of routing, in short. */
function target(routing: Routing): string {
  if (routing.kind === 'route') return routing.match.name
  return routing.kind === 'options' ? routing.allow : routing.location
}

const ID = 'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e'

/** Paths and methods of this service. */
const ALLOW: readonly (readonly [string, string])[] = [
  ['/acl/token', 'OPTIONS,PUT'],
  ['/acl/tokens', 'OPTIONS,GET'],
  [`/acl/token/${ID}/clone`, 'OPTIONS,GET,PUT,DELETE'],
  ['/internal/acl/authorize', 'OPTIONS,POST'],
  ['/kv/a/b', 'OPTIONS,GET,PUT,DELETE'],
]

describe('methods (spec 9.4)', () => {
  const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'HEAD', 'PATCH', 'TRACE', 'BREW', 'get', '']

  test.each(ALLOW)('%s: OPTIONS answers %s, and other methods are not allowed', (path, allow) => {
    expect(target(route('OPTIONS', `/v1${path}`, newest))).toBe(allow)
    for (const method of METHODS.filter((name) => !allow.split(',').includes(name))) {
      const refusal = refusalOf(() => route(method, `/v1${path}?x=1`, newest))
      expect(refusal.code, method).toBe('method_not_allowed')
      expect(refusal.message).toBe(`method ${method} not allowed`)
    }
  })

  test.each(REQUIRED_METHODS)(
    '$path: $method alone from 1.0 on, and OPTIONS from 1.0.7 on; before, any method',
    ({ method: required, path }) => {
      const service = (version: string) => aService(version, 'extended')
      const url = `/v1${path.replace(/\/$/, '/x').replace(':uuid', ID)}`
      const served = target(route(required, url, service('0.9.3')))
      for (const method of ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS']) {
        expect(target(route(method, url, service('0.9.3')))).toBe(served)
        if (method === required) continue
        const refused = (version: string) => refusalOf(() => route(method, url, service(version)))
        expect(refused('1.0')).toMatchObject({
          code: 'method_not_allowed',
          message: `method ${method} not allowed`,
        })
        if (method === 'OPTIONS')
          expect(target(route(method, url, service('1.0.7')))).toBe(`OPTIONS,${required}`)
        else expect(refused('1.0.7').code).toBe('method_not_allowed')
      }
      expect(target(route(required, url, service('1.0')))).toBe(served)
    },
  )

  test('below 1.0, any method reaches the endpoint', () => {
    const old = service('0.9.3')
    expect(target(route('POST', '/v1/acl/replication', old))).toBe('operations.replication')
    expect(target(route('BREW', '/v1/acl/list', old))).toBe('legacy.list')
  })

  test('below 1.0, endpoints without a row in spec 9.4 accept only their own methods', () => {
    const old = service('0.9.3')
    for (const url of ['/v1/acl/create', '/v1/acl/update', '/v1/acl/destroy/x', '/v1/acl/clone/x']) {
      expect(refusalOf(() => route('GET', url, old)).code, url).toBe('method_not_allowed')
      expect(target(route('PUT', url, old)), url).toMatch(/^legacy\./)
    }
    expect(refusalOf(() => route('POST', '/v1/kv/a', old)).code).toBe('method_not_allowed')
  })

  test('endpoint_unknown: network areas in the standard edition, for any method and version (decisions: removed endpoints)', () => {
    for (const version of ['0.9.3', '1.11']) {
      for (const method of ['GET', 'PUT', 'DELETE', 'OPTIONS']) {
        for (const url of ['/v1/operator/area', `/v1/operator/area/${ID}`, `/v1/operator/area/${ID}/join`]) {
          expect(refusalOf(() => route(method, url, service(version))).code, url).toBe('endpoint_unknown')
        }
      }
    }
  })
})

describe('paths', () => {
  test.each([
    ...['/v1', '/v1/', '/v1/acl', '/v1/acl/tokens/', '/v1/nope', '/v2/acl/tokens', '/V1/acl/tokens'],
    ...['/acl/tokens', '*', '', 'v1/acl/tokens'],
  ])('endpoint_unknown: %j, for any method', (url) => {
    for (const method of ['GET', 'PUT', 'OPTIONS']) {
      expect(refusalOf(() => route(method, url, newest)).code).toBe('endpoint_unknown')
    }
  })

  test.each([
    ['//v1/acl/tokens', '/v1/acl/tokens'],
    ['/v1//acl///tokens?a=//b', '/v1/acl/tokens?a=//b'],
    ['//evil.example/v1', '/evil.example/v1'],
    ['/v1/kv/a//b', '/v1/kv/a/b'],
  ])('%s redirects to %s, on this host', (url, location) => {
    expect(route('GET', url, newest)).toEqual({ kind: 'moved', location })
  })

  test(`url_too_long: ${limits.URL_LENGTH_MAX} characters pass, with the query; one more does not`, () => {
    for (const start of ['/v1/kv/', '/v1/kv/a?token=', '//v1/kv/', '/elsewhere/']) {
      const url = start.padEnd(limits.URL_LENGTH_MAX + 1, 'a')
      expect(refusalOf(() => route('GET', url, newest)).code).toBe('url_too_long')
    }
    const longest = '/v1/kv/a?token='.padEnd(limits.URL_LENGTH_MAX, 'a')
    expect(route('GET', longest, newest)).toMatchObject({ kind: 'route' })
  })

  test('path_invalid: an undecodable path, or one with a control character', () => {
    for (const path of ['/v1/kv/%', '/v1/kv/%00', '/v1/kv/%ff']) {
      expect(refusalOf(() => route('GET', path, newest)).code).toBe('path_invalid')
    }
  })
})

describe('versions (spec 9.1)', () => {
  test.each([
    ['PUT', '/v1/acl/token', '1.3.1', 'endpoint_unknown'],
    ['PUT', '/v1/acl/token', '1.4.0', 'tokens.create'],
    ['PUT', '/v1/acl/role', '1.4.4', 'endpoint_unknown'],
    ['PUT', '/v1/acl/role', '1.5.0', 'roles.create'],
    ['PUT', '/v1/acl/create', '1.10.12', 'legacy.create'],
    ['PUT', '/v1/acl/create', '1.11', 'endpoint_removed'],
    ['POST', '/v1/acl/create', '1.11', 'method_not_allowed'],
    ['GET', '/v1/acl/info/x', '1.11.0', 'endpoint_removed'],
    ['POST', '/v1/acl/rules/translate', '1.11', 'endpoint_removed'],
    ['GET', '/v1/health/service/web', '1.11', 'health.service'],
    ['PUT', '/v1/health/service/web', '1.11', 'method_not_allowed'],
    ['GET', '/v1/txn', '1.11', 'method_not_allowed'],
    ['PUT', '/v1/txn', '1.11', 'txn.apply'],
  ])('%s %s at %s: %s', (method, url, version, outcome) => {
    let found: string
    try {
      found = target(route(method, url, service(version)))
    } catch {
      found = refusalOf(() => route(method, url, service(version))).code
    }
    expect(found).toBe(outcome)
  })
})
