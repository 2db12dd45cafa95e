/** Parses request line and headers, in the reference's order of checks. */
import {
  AclError,
  type AnyRoute,
  decodeQuery,
  type Query,
  type RouteMatch,
  routeOf,
} from '@latchkey/contract'
import type { ServiceOptions } from '../options.ts'
import { credentialOf, type HeaderFamily, namespaceHeaderOf } from './headers.ts'
import { type NamespaceQuery, requestedNamespace } from './namespace.ts'
import { type BlockingQuery, PLAIN_READ, paramsOf, type ReadOptions, readOptionsOf } from './read-options.ts'
import type { RequestState } from './request-state.ts'
import type { WireRequest } from './wire.ts'

/** The options of every endpoint, taken from one without others. */
type CommonQuery = Query<'operations.leader'>

/** Answers without a query to the database. */
export const KNOWN_HERE: ReadOptions = { ...PLAIN_READ, mode: 'stale' }

/** A routed request. */
export interface ParsedRequest {
  readonly request: WireRequest
  readonly route: AnyRoute
  readonly params: Readonly<Record<string, string>>
  /** Decoded by the schema of the route; see `decodeQuery`. */
  readonly query: object
  readonly options: ReadOptions
  /** By header or `ns`; `*` for all. */
  readonly requestedNamespace: string | undefined
  readonly secretId: string | undefined
  /** The datacenter that answers, if it is another one. */
  readonly elsewhere: string | undefined
  readonly state: RequestState
}

/** @throws AclError `query_invalid`, `header_invalid`, `namespace_unsupported`, `datacenter_unknown`. */
export function parse(
  request: WireRequest,
  { name, params }: RouteMatch,
  state: RequestState,
  { datacenter, datacenters, defaultPolicy, edition, families }: ParseOptions,
): ParsedRequest {
  const route = routeOf(name)
  const urlParams = paramsOf(request.url)
  // Shared options have the same schema in all routes; a route without an option has no property for it.
  const query = decodeQuery(route.schemas.query, urlParams) as CommonQuery & BlockingQuery & NamespaceQuery
  state.pretty = query.pretty ?? false
  state.setHeader('defaultPolicy', defaultPolicy)
  const isChecked = route.blocking || route.checksReadOptions
  const checked = isChecked ? readOptionsOf(query, request.header('cache-control')) : undefined
  const options = route.blocking && checked ? checked : plainRead(route)
  const header = namespaceHeaderOf(request, families)
  const credential = credentialOf(request, urlParams, families)
  const namespace = requestedNamespace({ header, query, route }, edition)
  const elsewhere = query.dc === datacenter ? undefined : query.dc
  if (elsewhere !== undefined && !datacenters?.names.includes(elsewhere)) {
    throw new AclError('datacenter_unknown', 'No path to datacenter', { field: 'dc' })
  }
  if (credential.inQuery) {
    state.headers.Warning = '299 - "The token query parameter is deprecated: send the token header"'
  }
  return {
    request,
    route,
    params,
    query,
    options,
    requestedNamespace: namespace,
    secretId: credential.secretId,
    elsewhere,
    state,
  }
}

export interface ParseOptions
  extends Pick<ServiceOptions, 'datacenter' | 'datacenters' | 'defaultPolicy' | 'edition'> {
  readonly families: readonly HeaderFamily[]
}

function plainRead({ local }: AnyRoute): ReadOptions {
  return local ? KNOWN_HERE : PLAIN_READ
}
