/** Parses the request line and headers, in the reference's order of checks. */
import type { AnyRoute, Query, RouteMatch } from '@latchkey/contract'
import { AclError, absentFieldsOf, decodeQuery, routeOf, shorten } from '@latchkey/contract'
import { isSecondary, type ServiceOptions } from '../options.ts'
import type { Forwarding, HeaderFamily } from './headers.ts'
import { credentialOf, DATACENTER_FAMILY, namespaceHeaderOf } from './headers.ts'
import { type NamespaceQuery, requestedNamespace } from './namespace.ts'
import { type BlockingQuery, PLAIN_READ, paramsOf, type ReadOptions, readOptionsOf } from './read-options.ts'
import type { RequestState } from './request-state.ts'
import type { WireRequest } from './wire.ts'

/** The options that every endpoint has, taken from an endpoint without others. */
type CommonQuery = Query<'operations.leader'>

/** Read options that need no database query. */
export const KNOWN_HERE: ReadOptions = { ...PLAIN_READ, mode: 'stale' }

export interface ParsedRequest {
  readonly request: WireRequest
  readonly route: AnyRoute
  readonly params: Readonly<Record<string, string>>
  /** Decoded by the schema of the route; see `decodeQuery`. */
  readonly query: object
  readonly options: ReadOptions
  /** From the header or `ns`; `*` for all. */
  readonly requestedNamespace: string | undefined
  readonly secretId: string | undefined
  /** The datacenter that answers, if it is another one. */
  readonly elsewhere: string | undefined
  /** The namespace header, to forward to another datacenter. */
  readonly namespaceHeader: string | undefined
  readonly state: RequestState
}

/** @throws AclError `query_invalid`, `header_invalid`, `namespace_unsupported`, `datacenter_unknown`. */
export function parse(
  request: WireRequest,
  { name, params }: RouteMatch,
  state: RequestState,
  parseOptions: ParseOptions,
): ParsedRequest {
  const { forwarding } = state
  const { datacenter, datacenters, defaultPolicy, edition, profile } = parseOptions
  const families = forwarding ? [DATACENTER_FAMILY] : parseOptions.families
  const route = routeOf(name)
  const urlParams = paramsOf(request.url)
  // Shared options have the same schema in all routes; a route that lacks an option has no property for it.
  const absent = absentFieldsOf(route.schemas.query, profile)
  const query = decodeQuery(route.schemas.query, urlParams, absent) as CommonQuery &
    BlockingQuery &
    NamespaceQuery
  state.pretty = query.pretty ?? false
  state.setHeader('defaultPolicy', defaultPolicy)
  const isChecked = route.blocking || route.checksReadOptions
  const checked = isChecked ? readOptionsOf(query, request.header('cache-control')) : undefined
  const options = route.blocking && checked ? checked : route.local ? KNOWN_HERE : PLAIN_READ
  const header = namespaceHeaderOf(request, families)
  const credential = credentialOf(request, urlParams, families)
  const namespace = requestedNamespace({ header, query, urlParams, route }, edition)
  const elsewhere = query.dc === datacenter ? undefined : query.dc
  if (elsewhere !== undefined && !datacenters?.names.includes(elsewhere))
    throw new AclError('datacenter_unknown', 'No path to datacenter', { field: 'dc' })
  if (forwarding && query.dc === undefined) {
    requirePrimary(forwarding, parseOptions)
    state.isFromSecondary = true
  }
  if (credential.inQuery)
    state.headers.Warning = '299 - "The token query parameter is deprecated: send the token header"'
  return {
    request,
    route,
    params,
    query,
    options,
    requestedNamespace: namespace,
    secretId: credential.secretId,
    elsewhere,
    namespaceHeader: header?.value,
    state,
  }
}

export interface ParseOptions extends ServiceOptions {
  readonly families: readonly HeaderFamily[]
}

/**
 * A forwarded request without `dc` is a write for the primary. It must not be forwarded again, as it could loop.
 * @throws AclError `datacenter_unknown`.
 */
function requirePrimary({ from, primary }: Forwarding, options: ParseOptions): void {
  const { datacenter } = options
  if (!isSecondary(options) && (primary === undefined || primary === datacenter)) return
  const [here, asked] = [datacenter, from].map((name) => JSON.stringify(shorten(name)))
  throw new AclError(
    'datacenter_unknown',
    `No path to datacenter: ${here} is not the primary datacenter of ${asked}`,
  )
}
