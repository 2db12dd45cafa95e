import { expect, test } from 'vitest'
import {
  LEGACY_ENDPOINTS,
  legacyEndpointOf,
  REQUIRED_METHODS,
  requiredMethodOf,
  UNBUILT_ENDPOINTS,
  unbuiltEndpointOf,
} from './methods.ts'
import { matchPath } from './paths.ts'

/** Spec 9.4, copied. */
const SPEC_GET =
  '/acl/info, /acl/list, /acl/replication, /agent/checks, /agent/members, /agent/metrics, /agent/self, /agent/services, /catalog/datacenters, /catalog/node, /catalog/nodes, /catalog/service, /catalog/services, /coordinate/datacenters, /coordinate/nodes, /health/checks, /health/node, /health/service, /health/state, /internal/ui/node, /internal/ui/nodes, /internal/ui/services, /session/info, /session/list, /session/node, /status/leader, /status/peers, /operator/area/:uuid/members'
const SPEC_PUT =
  '/agent/check/deregister, /agent/check/fail, /agent/check/pass, /agent/check/register, /agent/check/warn, /agent/force-leave, /agent/join, /agent/service/register, /agent/service/deregister, /catalog/deregister, /catalog/register, /operator/area/:uuid/join'

const rows = (method: string) =>
  REQUIRED_METHODS.filter((row) => row.method === method).map((row) => row.path.replace(/\/$/, ''))

test('the table is that of the spec, row by row (spec 9.4)', () => {
  expect(rows('GET').sort()).toEqual(SPEC_GET.split(', ').sort())
  expect(rows('PUT').sort()).toEqual(SPEC_PUT.split(', ').sort())
})

test('every path of the spec finds its own row (spec 9.4)', () => {
  for (const path of [...SPEC_GET.split(', '), ...SPEC_PUT.split(', ')]) {
    const asked = path.replace(':uuid', 'ce10eb30-0ae9-4a16-a3b9-4a4b2e5a6b2e')
    expect(requiredMethodOf(asked)?.path.replace(/\/$/, ''), asked).toBe(path)
  }
})

test('a path that takes a rest matches with and without it, others exactly (spec 9.4)', () => {
  expect(requiredMethodOf('/catalog/node/n1')?.path).toBe('/catalog/node/')
  expect(requiredMethodOf('/catalog/node/')?.path).toBe('/catalog/node/')
  expect(requiredMethodOf('/catalog/nodes')?.path).toBe('/catalog/nodes')
  for (const path of [
    '/catalog/nodes/',
    '/catalog/nodesx',
    '/status/leader/x',
    '/operator/area//join',
    '/operator/area/a/b/join',
    '/acl/token',
    '',
  ]) {
    expect(requiredMethodOf(path), path).toBeUndefined()
  }
})

test('what is not built is found by its own path, and is not an endpoint of the contract', () => {
  for (const { path } of UNBUILT_ENDPOINTS) {
    expect(unbuiltEndpointOf(path)?.path).toBe(path)
    expect(matchPath(path), path).toBeUndefined()
  }
})

test('the legacy endpoints are those of the spec (spec 9.1)', () => {
  expect(LEGACY_ENDPOINTS.map(({ methods, path }) => `${methods} ${path}`).sort()).toEqual([
    'GET /acl/info/',
    'GET /acl/list',
    'GET /acl/rules/translate/',
    'GET,POST /acl/rules/translate',
    'PUT /acl/clone/',
    'PUT /acl/create',
    'PUT /acl/destroy/',
    'PUT /acl/update',
  ])
})

test('translate takes a text by GET and POST, and an accessor by GET; others both trailing forms (spec 9.1)', () => {
  expect(legacyEndpointOf('/acl/rules/translate')?.methods).toEqual(['GET', 'POST'])
  expect(legacyEndpointOf('/acl/rules/translate/00000000-0000-0000-0000-000000000002')?.methods).toEqual([
    'GET',
  ])
  expect(legacyEndpointOf('/acl/destroy')?.methods).toEqual(['PUT'])
  expect(legacyEndpointOf('/acl/destroy/my-secret')?.methods).toEqual(['PUT'])
  expect(legacyEndpointOf('/acl/create/')).toBeUndefined()
  expect(legacyEndpointOf('/acl/tokens')).toBeUndefined()
})
