/** From a request line to an endpoint: path, version gates, methods. Spec 9.1, 9.4; decisions: order of checks. */
import { checkPathId } from '@latchkey/acl'
import type { AnyRoute, Endpoint, Method, RouteMatch, RouteName, ServiceProfile } from '@latchkey/contract'
import {
  AclError,
  decodePath,
  kindRefusal,
  legacyEndpointOf,
  limits,
  matchPath,
  ROUTE_LIST,
  requiredMethodOf,
  shorten,
  unbuiltEndpointOf,
} from '@latchkey/contract'
import type { ServiceOptions } from '../options.ts'

/** `options`: answered with only `Allow`. `moved`: the path has doubled slashes. */
export type Routing =
  | { readonly kind: 'route'; readonly match: RouteMatch }
  | { readonly kind: 'options'; readonly allow: string }
  | { readonly kind: 'moved'; readonly location: string }

const API_PREFIX = '/v1'

type Profiled = Pick<ServiceOptions, 'profile' | 'edition'>

/**
 * Finds the endpoint of a request.
 * @param match the endpoint that the transport has found, if any. It is refused like one that was found here.
 * @throws AclError `url_too_long`, `path_invalid`, `endpoint_unknown`, `method_not_allowed`, `endpoint_removed`,
 *   `endpoint_not_built`.
 */
export function route(
  method: string,
  url: string,
  { profile, edition }: Profiled,
  match?: RouteMatch,
): Routing {
  if (url.length > limits.URL_LENGTH_MAX) {
    const message = `The path with its query is longer than ${limits.URL_LENGTH_MAX} characters`
    throw new AclError('url_too_long', message)
  }
  const queryAt = url.indexOf('?')
  const rawPath = queryAt < 0 ? url : url.slice(0, queryAt)
  if (rawPath.includes('//')) {
    return {
      kind: 'moved',
      location: rawPath.replace(/\/{2,}/g, '/') + (queryAt < 0 ? '' : url.slice(queryAt)),
    }
  }
  const path = decodePath(rawPath)
  if (!path.startsWith(`${API_PREFIX}/`)) throw unknownEndpoint()
  const below = path.slice(API_PREFIX.length)
  if (match && isOpen(match.endpoint, { profile, edition })) return routeTo(match, below, profile)
  return routeBelowPrefix(method, below, { profile, edition })
}

function routeBelowPrefix(method: string, path: string, { profile, edition }: Profiled): Routing {
  const match = matchPath(path)
  const open = match?.form.methods.filter((candidate) => {
    const endpoint = match.form.byMethod.get(candidate)?.endpoint
    return endpoint === undefined || isOpen(endpoint, { profile, edition })
  })
  const unbuilt = open && open.length > 0 ? undefined : unbuiltEndpointOf(path)
  const methods: readonly Method[] = unbuilt?.methods ?? open ?? []
  if (methods.length === 0) throw unknownEndpoint()
  if (method === 'OPTIONS' && profile.has('http.allowListsOptions'))
    return { kind: 'options', allow: allow(methods, profile) }
  const chosen = chooseMethod(method, methods, path, profile)
  if (unbuilt || !match) throw notBuilt(path)
  const found = match.routeOf(chosen)
  if (!found) throw unknownEndpoint()
  return routeTo(found, path, profile)
}

function isOpen({ edition, gate }: Endpoint, asked: Profiled): boolean {
  if (edition !== undefined && edition !== asked.edition) return false
  return gate === undefined || asked.profile.has(gate) || asked.profile.hasNoLonger(gate)
}

function routeTo(match: RouteMatch, path: string, profile: ServiceProfile): Routing {
  const { gate } = match.endpoint
  if (gate !== undefined && profile.hasNoLonger(gate)) throw removed(path)
  return { kind: 'route', match }
}

/**
 * Checks required path parameters; runs before the caller is checked. Decisions: order of checks.
 * @throws AclError `id_missing`.
 */
export function requireParams({ endpoint, params }: RouteMatch): void {
  if (endpoint.mayBeEmpty) return
  for (const [param, value] of Object.entries(params)) {
    if (value === '')
      throw new AclError('id_missing', `Missing ${endpoint.subject ?? param}`, { field: param })
  }
}

/**
 * An endpoint accepts only its own methods; below 1.0, any method reaches the endpoints of spec 9.4.
 * @throws AclError `method_not_allowed` with `Allow`.
 */
function chooseMethod(
  method: string,
  methods: readonly Method[],
  path: string,
  profile: ServiceProfile,
): Method {
  const asked = methods.find((candidate) => candidate === method)
  if (asked) return asked
  const row = profile.has('http.enforceMethods') ? undefined : requiredMethodOf(path)
  if (row) return row.method
  throw new AclError('method_not_allowed', `method ${method} not allowed`, {
    headers: { Allow: allow(methods, profile) },
  })
}

function allow(methods: readonly Method[], profile: ServiceProfile): string {
  return [...(profile.has('http.allowListsOptions') ? ['OPTIONS'] : []), ...methods].join(',')
}

function unknownEndpoint(): AclError {
  return new AclError('endpoint_unknown', 'No such endpoint')
}

/** Names the endpoint instead of the path, because the path may end with a secret. */
function removed(path: string): AclError {
  const endpoint = legacyEndpointOf(path)
  const instead = endpoint === undefined ? '' : ` Use ${endpoint.replacement} instead.`
  const message = `Endpoint /v1${endpoint?.path ?? shorten(path)} for the legacy ACL system was removed in version 1.11.${instead}`
  return new AclError('endpoint_removed', message)
}

function notBuilt(path: string): AclError {
  const [, kind] = /^\/config\/([^/]+)/.exec(path) ?? []
  if (kind !== undefined) return kindRefusal(kind)
  // Clients match the first sentence.
  const isOfMesh = /^\/(?:agent\/)?connect\//.test(path)
  const mesh = isOfMesh ? 'Connect must be enabled in order to use this endpoint. ' : ''
  return new AclError('endpoint_not_built', `${mesh}This service does not provide /v1${shorten(path)}`)
}

/** Parameters that are UUIDs in the contract, with the reference's name of the record. */
const UUIDS: ReadonlyMap<RouteName, { readonly param: string; readonly what: string }> = new Map(
  ROUTE_LIST.flatMap((route) => uuidOf(route).map((found) => [route.name, found] as const)),
)

function uuidOf({ schemas, subject = '' }: AnyRoute) {
  return Object.entries(schemas.params?.shape ?? {}).flatMap(([param, schema]) => {
    const isUuid = 'meta' in schema && schema.meta()?.format === 'uuid'
    return isUuid ? [{ param, what: subject.slice(0, -` ${param}`.length) }] : []
  })
}

/** Checks the UUID in a path, after the right and before the body. @throws AclError `id_invalid`. */
export function checkPathIds(route: AnyRoute, params: Readonly<Record<string, string>>): void {
  const uuid = UUIDS.get(route.name)
  if (uuid === undefined) return
  const id = params[uuid.param] ?? ''
  // An empty id here means a create on the path of an update.
  if (id !== '') checkPathId(id, uuid.what, uuid.param)
}
