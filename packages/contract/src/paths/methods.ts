/**
 * The method table of spec 9.4: the endpoints that enforce one method from 1.0 (gate `http.enforceMethods`). Below 1.0
 * any method reaches them, and them alone. The router answers a wrong method with 405 and `Allow`. If an endpoint is not built, the
 * right method answers 501 `endpoint_not_built`.
 */

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
