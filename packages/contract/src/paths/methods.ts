/** Endpoints that the contract does not serve, and tables derived from the endpoints that it does. Spec 9.1, 9.4. */
import type { Endpoint, Method } from '../endpoint.ts'
import { ENDPOINTS } from '../generated/endpoints.ts'

/** An endpoint of this API that this service does not implement: the right method answers 501. */
interface UnbuiltEndpoint {
  /** In the order of `Allow`. */
  readonly methods: readonly Method[]
  /**
   * Path under `/v1`. `:uuid` matches one segment. A path that ends in `/` also matches everything below it: the table
   * in the spec lists such endpoints without their last part (`/catalog/node` means `/catalog/node/:node`).
   */
  readonly path: string
}

const unbuilt = (path: string, ...methods: readonly Method[]): UnbuiltEndpoint => ({ methods, path })

/** The first match wins. Decisions: status codes. */
export const UNBUILT_ENDPOINTS: readonly UnbuiltEndpoint[] = [
  unbuilt('/agent/connect/authorize', 'POST'),
  unbuilt('/agent/connect/ca/leaf/', 'GET'),
  unbuilt('/agent/connect/ca/roots', 'GET'),
  unbuilt('/agent/monitor', 'GET'),
  unbuilt('/agent/token/', 'PUT'),
  unbuilt('/config/:kind', 'GET'),
  unbuilt('/config/:kind/:name', 'GET', 'DELETE'),
  unbuilt('/connect/ca/configuration', 'GET', 'PUT'),
  unbuilt('/connect/ca/roots', 'GET'),
  unbuilt('/discovery-chain/', 'GET', 'POST'),
  unbuilt('/event/fire/', 'PUT'),
  unbuilt('/event/list', 'GET'),
  unbuilt('/operator/keyring', 'GET', 'PUT', 'POST', 'DELETE'),
  unbuilt('/query', 'GET', 'POST'),
  unbuilt('/query/', 'GET', 'PUT', 'DELETE'),
]

/**
 * A row of spec 9.4: an endpoint that enforces its method from 1.0 (gate `http.enforceMethods`). Before 1.0, any method
 * reaches it.
 */
export interface RequiredMethod {
  readonly method: Method
  /** See {@link UnbuiltEndpoint.path}. */
  readonly path: string
}

/** An endpoint of the legacy ACL API. From 1.11 (gate `api.legacy`) the right method answers 410. Spec 9.1. */
export interface LegacyEndpoint {
  readonly methods: readonly Method[]
  /** See {@link UnbuiltEndpoint.path}. */
  readonly path: string
  /** The equivalent in the token API, for the text of the 410 and for access log reports. */
  readonly replacement: string
}

/** Paths of the contract's endpoints, with `/` in place of a last parameter, which matches the whole rest. */
const SERVED = Object.values<Endpoint>(ENDPOINTS).map((endpoint) => ({
  ...endpoint,
  path: endpoint.path.replace(/:\w+$/, ''),
  methods: [...(endpoint.alsoGet ? (['GET'] as const) : []), endpoint.method],
}))

/** Every row of spec 9.4. */
export const REQUIRED_METHODS: readonly RequiredMethod[] = SERVED.flatMap(({ methodGate, methods, path }) =>
  methodGate === undefined ? [] : methods.map((method) => ({ method, path })),
)

/** Every row of spec 9.1, and the translation of a stored token's rules. */
export const LEGACY_ENDPOINTS: readonly LegacyEndpoint[] = SERVED.flatMap(({ methods, path, replacement }) =>
  replacement === undefined ? [] : [{ methods, path, replacement }],
)

/** The row of spec 9.4 for a request path under `/v1`, without its query; undefined if there is none. */
export function requiredMethodOf(path: string): RequiredMethod | undefined {
  return REQUIRED_METHODS.find((row) => matchesPath(row.path, path))
}

/** The endpoint of {@link UNBUILT_ENDPOINTS} for a request path under `/v1`, without its query. */
export function unbuiltEndpointOf(path: string): UnbuiltEndpoint | undefined {
  return UNBUILT_ENDPOINTS.find((endpoint) => matchesPath(endpoint.path, path))
}

/** The legacy endpoint for a request path under `/v1`, without its query. Exact paths take precedence. */
export function legacyEndpointOf(path: string): LegacyEndpoint | undefined {
  return (
    LEGACY_ENDPOINTS.find((row) => row.path === path) ??
    LEGACY_ENDPOINTS.find((row) => matchesPath(row.path, path))
  )
}

/**
 * `/a/` matches `/a`, `/a/` and everything below. Other patterns match literally, except that `:uuid` matches one
 * non-empty segment.
 */
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
