/** A call as the resources describe it, and the request built from it. All names come from the contract. */
import {
  API_ROOT,
  buildPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  HEADER,
  PROBLEM_JSON,
} from './contract.ts'
import type { ErrorFacts, LatchkeyError } from './errors.ts'
import type { WithMeta } from './meta.ts'
import type { CallOptions, Settings } from './options.ts'
import type { BodyTypes } from './types.ts'

type Endpoints = typeof ENDPOINTS
type ParamOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${string}`
    ? Name
    : Rest
  : never
/** The query options that an endpoint has of its own. */
export type QueryOf<N extends EndpointName> = Endpoints[N] extends {
  query: readonly (infer Q extends string)[]
}
  ? Q
  : never
/** `true` sends an option that counts by its presence; `undefined` and `false` omit it. */
export type QueryValue = string | number | bigint | boolean | undefined

/** How to read the body of the answer. */
type AnswerForm = 'json' | 'text' | 'bytes'

/** A resource's call, as the transport sees it. */
export interface Call {
  readonly endpoint: EndpointName
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly json?: unknown
  readonly body?: string | Uint8Array
  /** Default `json`. */
  readonly form?: AnswerForm
  /**
   * Whether a write may be sent again though an earlier attempt may have been applied. `always`: a second one cannot
   * do anything. `unlessPending`: it gives the same state, but not after a timeout: the first attempt may still be
   * in flight then, and could land after a newer write of another client. Absent: never.
   */
  readonly repeatable?: 'always' | 'unlessPending'
  /** Secrets in path or body, which no error may repeat. */
  readonly secrets?: readonly (string | undefined)[]
  /** The AccessorID that a create would give, for an error that cannot tell whether it did. */
  readonly recordId?: string
  /**
   * Asked when a repetition is refused though an earlier attempt may have been applied: the answer, if the refusal
   * only says that it was. `undefined` where it says something else.
   */
  readonly recover?: (refusal: LatchkeyError) => Promise<WithMeta<unknown> | undefined>
  /** An earlier attempt of this call may have been applied. */
  readonly maybeApplied?: boolean
  readonly options: CallOptions
}

/** A call of one endpoint, typed by its path parameters, query options and body. */
export interface CallOf<N extends EndpointName> extends Call {
  readonly endpoint: N
  readonly json?: N extends keyof BodyTypes ? BodyTypes[N] : never
  readonly params?: Readonly<Record<ParamOf<Endpoints[N]['path']>, string>>
  readonly query?: { readonly [Q in QueryOf<N>]?: QueryValue }
}

/** A request that is ready for `fetch` except for its signal. */
export interface WireRequest {
  readonly url: string
  readonly init: RequestInit & { readonly method: string }
}

/** Whether the endpoint writes. All POST endpoints of this API only read. */
export function isWrite(name: EndpointName): boolean {
  const { method } = ENDPOINTS[name]
  return method === 'PUT' || method === 'DELETE'
}

/**
 * What every error of this call says.
 *
 * @param isOpen whether a write that fails so may have been applied all the same.
 */
export function factsOf(
  { endpoint, recordId, maybeApplied = false }: Call,
  isOpen: boolean,
): Pick<ErrorFacts, 'endpoint' | 'recordId' | 'maybeApplied'> {
  return { endpoint, recordId, maybeApplied: maybeApplied || (isOpen && isWrite(endpoint)) }
}

/** @param waiting options of a blocking query and of its consistency mode. */
export function buildRequest(
  settings: Settings,
  call: Call,
  token: string | undefined,
  waiting: Readonly<Record<string, QueryValue>>,
): WireRequest {
  const endpoint: Endpoint = ENDPOINTS[call.endpoint]
  const namespace = call.options.namespace ?? settings.namespace
  const query = { ...call.query, ...(endpoint.namespaced ? { ns: namespace } : {}), ...waiting }
  const headers = new Headers(settings.headers)
  headers.set('Accept', acceptOf(call.form))
  if (token !== undefined) headers.set(settings.headerPrefix + HEADER.token, token)
  if (call.json !== undefined) headers.set('Content-Type', 'application/json')
  return {
    url: `${settings.address}${API_ROOT}${pathOf(call)}${searchOf(query)}`,
    init: {
      method: endpoint.method,
      headers,
      body: bodyOf(call),
      // A redirect would carry the secret to wherever it points.
      redirect: 'manual',
    },
  }
}

function acceptOf(form: AnswerForm | undefined): string {
  if (form === 'bytes') return `*/*, ${PROBLEM_JSON}`
  return `${form === 'text' ? 'text/plain' : 'application/json'}, ${PROBLEM_JSON}`
}

function bodyOf({ json, body }: Call): string | Uint8Array<ArrayBuffer> | null {
  if (json !== undefined) return JSON.stringify(json)
  if (body === undefined) return null
  return typeof body === 'string' ? body : new Uint8Array(body)
}

function pathOf({ endpoint, params = {} }: Call): string {
  // The whole store is the tree of the empty key, which no path parameter can hold.
  if (params.Key === '') return buildPath(endpoint, { Key: '-' }).slice(0, -1)
  return buildPath(endpoint, params)
}

function searchOf(query: Readonly<Record<string, QueryValue>>): string {
  const search = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => (value === true ? name : `${name}=${encodeURIComponent(String(value ?? ''))}`))
    .join('&')
  return search === '' ? '' : `?${search}`
}
