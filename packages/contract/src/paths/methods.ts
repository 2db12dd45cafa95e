/**
 * The method table of spec 9.4: the endpoints that enforce one method from 1.0 (gate `http.enforceMethods`). Below 1.0
 * any method reaches them, and them alone. The router answers a wrong method with 405 and `Allow`. If an endpoint is not built, the
 * right method answers 501 `endpoint_not_built`.
 */

import type { Method } from '../plain/endpoint.ts'

export interface RequiredMethod {
  readonly method: 'GET' | 'PUT'
  /**
   * Path under `/v1`. `:uuid` matches one segment. A path that ends in `/` also takes everything below it: the table of the spec
   * names such endpoints without their last part (`/catalog/node` is `/catalog/node/:node`).
   */
  readonly path: string
  /** Whether this service has the endpoint; else it answers 501. */
  readonly built: boolean
}

const get = (path: string): RequiredMethod => ({ method: 'GET', path, built: true })
const put = (path: string): RequiredMethod => ({ method: 'PUT', path, built: true })
const notBuilt = (row: RequiredMethod): RequiredMethod => ({ ...row, built: false })

/** Every row of spec 9.4, in its order. */
export const REQUIRED_METHODS: readonly RequiredMethod[] = [
  get('/acl/info/'),
  get('/acl/list'),
  get('/acl/replication'),
  notBuilt(get('/agent/checks')),
  get('/agent/members'),
  get('/agent/metrics'),
  get('/agent/self'),
  notBuilt(get('/agent/services')),
  get('/catalog/datacenters'),
  notBuilt(get('/catalog/node/')),
  notBuilt(get('/catalog/nodes')),
  notBuilt(get('/catalog/service/')),
  notBuilt(get('/catalog/services')),
  notBuilt(get('/coordinate/datacenters')),
  notBuilt(get('/coordinate/nodes')),
  notBuilt(get('/health/checks/')),
  notBuilt(get('/health/node/')),
  notBuilt(get('/health/service/')),
  notBuilt(get('/health/state/')),
  notBuilt(get('/internal/ui/node/')),
  notBuilt(get('/internal/ui/nodes')),
  notBuilt(get('/internal/ui/services')),
  notBuilt(get('/session/info/')),
  notBuilt(get('/session/list')),
  notBuilt(get('/session/node/')),
  get('/status/leader'),
  get('/status/peers'),
  notBuilt(get('/operator/area/:uuid/members')),
  notBuilt(put('/agent/check/deregister/')),
  notBuilt(put('/agent/check/fail/')),
  notBuilt(put('/agent/check/pass/')),
  notBuilt(put('/agent/check/register')),
  notBuilt(put('/agent/check/warn/')),
  notBuilt(put('/agent/force-leave/')),
  notBuilt(put('/agent/join/')),
  notBuilt(put('/agent/service/register')),
  notBuilt(put('/agent/service/deregister/')),
  notBuilt(put('/catalog/deregister')),
  notBuilt(put('/catalog/register')),
  notBuilt(put('/operator/area/:uuid/join')),
]

/** An endpoint of this API that spec 9.4 does not name and this service does not build: the right method answers 501. */
export interface LeftOutEndpoint {
  /** In the order of `Allow`. */
  readonly methods: readonly Method[]
  /** As {@link RequiredMethod.path}. */
  readonly path: string
}

const leftOut = (path: string, ...methods: readonly Method[]): LeftOutEndpoint => ({ methods, path })

/** Exact paths stand before those that take everything below. Decisions: status codes. */
export const LEFT_OUT_ENDPOINTS: readonly LeftOutEndpoint[] = [
  leftOut('/acl/auth-method', 'PUT'),
  leftOut('/acl/auth-method/', 'GET', 'PUT', 'DELETE'),
  leftOut('/acl/auth-methods', 'GET'),
  leftOut('/acl/binding-rule', 'PUT'),
  leftOut('/acl/binding-rule/', 'GET', 'PUT', 'DELETE'),
  leftOut('/acl/binding-rules', 'GET'),
  leftOut('/acl/login', 'POST'),
  leftOut('/acl/logout', 'POST'),
  leftOut('/acl/oidc/auth-url', 'POST'),
  leftOut('/acl/oidc/callback', 'POST'),
  leftOut('/agent/check/update/', 'PUT'),
  leftOut('/agent/connect/authorize', 'POST'),
  leftOut('/agent/connect/ca/leaf/', 'GET'),
  leftOut('/agent/connect/ca/roots', 'GET'),
  leftOut('/agent/health/service/', 'GET'),
  leftOut('/agent/host', 'GET'),
  leftOut('/agent/leave', 'PUT'),
  leftOut('/agent/maintenance', 'PUT'),
  leftOut('/agent/monitor', 'GET'),
  leftOut('/agent/reload', 'PUT'),
  leftOut('/agent/service/maintenance/', 'PUT'),
  leftOut('/agent/service/', 'GET'),
  leftOut('/agent/token/', 'PUT'),
  leftOut('/catalog/connect/', 'GET'),
  leftOut('/catalog/gateway-services/', 'GET'),
  leftOut('/catalog/node-services/', 'GET'),
  leftOut('/config', 'PUT'),
  leftOut('/config/', 'GET', 'DELETE'),
  leftOut('/connect/ca/configuration', 'GET', 'PUT'),
  leftOut('/connect/ca/roots', 'GET'),
  leftOut('/connect/intentions', 'GET', 'POST'),
  leftOut('/connect/intentions/check', 'GET'),
  leftOut('/connect/intentions/match', 'GET'),
  leftOut('/connect/intentions/', 'GET', 'PUT', 'DELETE'),
  leftOut('/coordinate/node/', 'GET'),
  leftOut('/coordinate/update', 'PUT'),
  leftOut('/discovery-chain/', 'GET', 'POST'),
  leftOut('/event/fire/', 'PUT'),
  leftOut('/event/list', 'GET'),
  leftOut('/health/connect/', 'GET'),
  leftOut('/health/ingress/', 'GET'),
  leftOut('/operator/autopilot/configuration', 'GET', 'PUT'),
  leftOut('/operator/autopilot/health', 'GET'),
  leftOut('/operator/keyring', 'GET', 'PUT', 'POST', 'DELETE'),
  leftOut('/operator/raft/configuration', 'GET'),
  leftOut('/operator/raft/peer', 'DELETE'),
  leftOut('/query', 'GET', 'POST'),
  leftOut('/query/', 'GET', 'PUT', 'DELETE'),
  leftOut('/session/create', 'PUT'),
  leftOut('/session/destroy/', 'PUT'),
  leftOut('/session/renew/', 'PUT'),
  leftOut('/snapshot', 'GET', 'PUT'),
  leftOut('/txn', 'PUT'),
]

/** An endpoint of the legacy ACL API. From 1.11 (gate `api.legacy`) the right method answers 410. Spec 9.1. */
export interface LegacyEndpoint {
  readonly methods: readonly ('GET' | 'PUT' | 'POST')[]
  /** As {@link RequiredMethod.path}. */
  readonly path: string
  /** The equivalent in the token API, for the text of the 410 and for reports on access logs. */
  readonly replacement: string
}

/** Every row of spec 9.1, in its order, and the translation of a stored token's rules. */
export const LEGACY_ENDPOINTS: readonly LegacyEndpoint[] = [
  { methods: ['PUT'], path: '/acl/create', replacement: 'PUT /v1/acl/token' },
  { methods: ['PUT'], path: '/acl/update', replacement: 'PUT /v1/acl/token/:AccessorID' },
  { methods: ['PUT'], path: '/acl/destroy/', replacement: 'DELETE /v1/acl/token/:AccessorID' },
  {
    methods: ['GET'],
    path: '/acl/info/',
    replacement: 'GET /v1/acl/token/:AccessorID, or GET /v1/acl/token/self',
  },
  { methods: ['PUT'], path: '/acl/clone/', replacement: 'PUT /v1/acl/token/:AccessorID/clone' },
  { methods: ['GET'], path: '/acl/list', replacement: 'GET /v1/acl/tokens' },
  {
    methods: ['GET', 'POST'],
    path: '/acl/rules/translate',
    replacement: 'PUT /v1/acl/policy, with rules in the new syntax',
  },
  {
    methods: ['GET'],
    path: '/acl/rules/translate/',
    replacement: 'PUT /v1/acl/policy, with rules in the new syntax',
  },
]

/** The row of spec 9.4 for a request path under `/v1`, without its query; undefined where the table has none. */
export function requiredMethodOf(path: string): RequiredMethod | undefined {
  return REQUIRED_METHODS.find((row) => matchesPath(row.path, path))
}

/** The endpoint of {@link LEFT_OUT_ENDPOINTS} for a request path under `/v1`, without its query. */
export function leftOutEndpointOf(path: string): LeftOutEndpoint | undefined {
  return LEFT_OUT_ENDPOINTS.find((endpoint) => matchesPath(endpoint.path, path))
}

/** The legacy endpoint for a request path under `/v1`, without its query. Exact paths take precedence. */
export function legacyEndpointOf(path: string): LegacyEndpoint | undefined {
  return (
    LEGACY_ENDPOINTS.find((row) => row.path === path) ??
    LEGACY_ENDPOINTS.find((row) => matchesPath(row.path, path))
  )
}

/** `/a/` takes `/a`, `/a/` and all below; other patterns take themselves, `:uuid` being one segment that is not empty. */
function matchesPath(pattern: string, path: string): boolean {
  if (pattern.endsWith('/')) return path === pattern.slice(0, -1) || path.startsWith(pattern)
  if (!pattern.includes(':')) return path === pattern
  const wanted = pattern.split('/')
  const given = path.split('/')
  return (
    wanted.length === given.length &&
    wanted.every((segment, i) => (segment.startsWith(':') ? given[i] !== '' : segment === given[i]))
  )
}
