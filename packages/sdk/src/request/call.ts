/** A resource's call, and the request built from it. All names come from the contract. */
import {
  API_ROOT,
  buildPath,
  ENDPOINTS,
  type Endpoint,
  type EndpointName,
  HEADER,
  PROBLEM_JSON,
  UNPAIRED_SURROGATE,
} from '../contract.ts'
import type { ErrorFacts, LatchkeyError } from '../errors.ts'
import type { WithMeta } from '../meta.ts'
import type { CallOptions, Settings } from '../options.ts'
import type { BodyTypes } from '../types.ts'

type Endpoints = typeof ENDPOINTS
type ParamOf<Path extends string> = Path extends `${string}:${infer Rest}`
  ? Rest extends `${infer Name}/${string}`
    ? Name
    : Rest
  : never
/** The query options of an endpoint. */
export type QueryOf<N extends EndpointName> = Endpoints[N] extends {
  query: readonly (infer Q extends string)[]
}
  ? Q
  : never
/** `true` sends the option without a value; `undefined` and `false` omit it; a list repeats it for each entry. */
export type QueryValue = string | number | bigint | boolean | readonly string[] | undefined

/** How to read the body of the answer. */
type AnswerForm = 'json' | 'text' | 'bytes' | 'stream'

/** A resource's call, as the transport receives it. */
export interface Call {
  readonly endpoint: EndpointName
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, QueryValue>>
  readonly json?: unknown
  readonly body?: string | Uint8Array | Blob
  /** Default `json`. */
  readonly form?: AnswerForm
  /** A status besides 200 that has a JSON answer. */
  readonly alsoAnswers?: 409
  /** Set if a write has consistency modes. */
  readonly hasModes?: true
  /**
   * Whether a write may be retried although an earlier attempt may have been applied. `always`: repeating it has no
   * effect. `unlessPending`: repeating it gives the same state, but not after a timeout or a 504, because the first
   * attempt may still be in flight and land after another client's newer write. Absent: never.
   */
  readonly repeatable?: 'always' | 'unlessPending'
  /** Secrets in path or body, which errors must not contain. */
  readonly secrets?: readonly (string | undefined)[]
  /** The AccessorID of a create, for errors that leave its outcome unknown. */
  readonly recordId?: string
  /**
   * Called when a retry is refused after an attempt with an unknown outcome. Returns the answer if the refusal shows
   * that the earlier attempt was applied, otherwise `undefined`.
   */
  readonly recover?: (refusal: LatchkeyError) => Promise<WithMeta<unknown> | undefined>
  /** An earlier attempt of this call may have been applied. */
  readonly maybeApplied?: boolean
  readonly options: CallOptions
  /** The names in `options` that only this method has. */
  readonly ownNames?: Readonly<Record<string, true>>
}

/** A call of one endpoint, typed by its path parameters, query options and body. */
export interface CallOf<N extends EndpointName> extends Call {
  readonly endpoint: N
  readonly json?: N extends keyof BodyTypes ? BodyTypes[N] : never
  readonly params?: Readonly<Record<ParamOf<Endpoints[N]['path']>, string>>
  readonly query?: { readonly [Q in QueryOf<N>]?: QueryValue }
}

/** A request that is ready for `fetch`, except for its signal. */
export interface WireRequest {
  readonly url: string
  readonly init: RequestInit & { readonly method: string }
}

/** Whether the endpoint writes. Of the POST endpoints, only logins, logout and the creation of intentions and areas do. */
export function isWrite(name: EndpointName): boolean {
  const { method } = ENDPOINTS[name]
  return method === 'PUT' || method === 'DELETE' || /^login\.|^(intentions|areas)\.create$/.test(name)
}

/**
 * The facts that every error of this call contains.
 *
 * @param isOpen whether a write that fails this way may still have been applied.
 */
export function factsOf(
  { endpoint, recordId, maybeApplied = false }: Call,
  isOpen: boolean,
): Pick<ErrorFacts, 'endpoint' | 'recordId' | 'maybeApplied'> {
  return { endpoint, recordId, maybeApplied: maybeApplied || (isOpen && isWrite(endpoint)) }
}

/** @param waiting query options for blocking and consistency. */
export function buildRequest(
  settings: Settings,
  call: Call,
  token: string | undefined,
  waiting: Readonly<Record<string, QueryValue>>,
): WireRequest {
  const endpoint: Endpoint = ENDPOINTS[call.endpoint]
  // Other endpoints refuse a namespace that the call names, rather than ignore it.
  const ns = call.options.namespace ?? (endpoint.namespaced ? settings.namespace : undefined)
  const query = { ...call.query, ns, dc: settings.datacenter, ...waiting }
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
      // Frameworks that replace `fetch` would keep answers, and write the request with its secret to their cache.
      ...(settings.cache === undefined ? {} : { cache: settings.cache }),
      // A redirect would send the secret to its target. In any mode but `error`, Node keeps a copy of the whole body.
      redirect: call.body instanceof Blob ? 'error' : 'manual',
    },
  }
}

function acceptOf(form: AnswerForm | undefined): string {
  if (form === 'bytes' || form === 'stream') return `*/*, ${PROBLEM_JSON}`
  return `${form === 'text' ? 'text/plain' : 'application/json'}, ${PROBLEM_JSON}`
}

function bodyOf({ json, body }: Call): string | Uint8Array<ArrayBuffer> | Blob | null {
  if (json !== undefined) return JSON.stringify(json)
  if (body === undefined) return null
  return body instanceof Uint8Array ? new Uint8Array(body) : body
}

function pathOf({ endpoint, params = {} }: Call): string {
  // The empty prefix selects the whole store, but a path parameter cannot be empty.
  if (params.Key === '') return buildPath(endpoint, { Key: '-' }).slice(0, -1)
  return buildPath(endpoint, params)
}

function searchOf(query: Readonly<Record<string, QueryValue>>): string {
  const search = Object.entries(query)
    .flatMap(([name, value]) => [value].flat().map((single) => [name, single] as const))
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name, value]) => (value === true ? name : `${name}=${encode(name, String(value ?? ''))}`))
    .join('&')
  return search === '' ? '' : `?${search}`
}

/** @throws TypeError for a lone surrogate. */
function encode(name: string, value: string): string {
  if (UNPAIRED_SURROGATE.test(value)) throw new TypeError(`${name} must not contain an unpaired surrogate`)
  return encodeURIComponent(value)
}
