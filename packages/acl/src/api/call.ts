/** One request on its way through the pipeline, and what a handler gives back. */
import {
  AclError,
  type DecodeOptions,
  decodeBody,
  decodeUtf8,
  type Endpoint,
  type EndpointName,
  type Json,
  parseJson,
  type Schema,
  type SchemaOutput,
  type ServiceProfile,
  TOKEN_FIELD_GATES,
} from '@latchkey/contract'
import type { MaybePromise } from '../maybe-promise.ts'
import type { Directory } from '../store/directory.ts'
import type { ConsistencyMode, Topic } from '../store/store.ts'
import type { Caller, Callers } from './caller.ts'
import type { HeaderFamily } from './headers.ts'
import type { ListCache } from './list-cache.ts'
import type { ApiOptions } from './options.ts'
import type { Query } from './query.ts'
import type { TokenTexts } from './token-json.ts'
import type { TokenList } from './token-list-parts.ts'

export interface Call {
  readonly api: ApiOptions
  readonly callers: Callers
  readonly texts: TokenTexts
  readonly lists: ListCache<TokenList>
  readonly name: EndpointName
  readonly endpoint: Endpoint
  readonly params: Readonly<Record<string, string>>
  readonly query: Query
  readonly mode: ConsistencyMode
  readonly caller: Caller
  readonly directory: Directory
  /** Of the record, by `ns`, the header, the caller's token, or `default`; a body may still say another. Spec 4.9. */
  readonly namespace: string
  /** Whether `ns=*` asked for all namespaces. Spec 4.8. */
  readonly allNamespaces: boolean
  readonly body: Uint8Array
  readonly now: number
  /** Names of response headers, of the family that the request used. */
  readonly family: HeaderFamily
}

export interface Answer {
  readonly body: AnswerBody
  /** For blocking reads: what wakes a waiter. */
  readonly watch?: Watch
  readonly headers?: Readonly<Record<string, string>>
}

export type AnswerBody =
  | { readonly kind: 'json'; readonly value: unknown }
  /** JSON text that is made already: short as text, which leaves in one piece with its headers; long as bytes. */
  | { readonly kind: 'json-text'; readonly text: string }
  | { readonly kind: 'json-bytes'; readonly bytes: Uint8Array }
  /** Elements of a JSON array as text, in pages; a page may be empty. */
  | { readonly kind: 'json-stream'; readonly pages: AsyncIterable<string> }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array; readonly contentType: string }
  /** What is absent is worth waiting for: a refusal that a waiter may see turn into an answer. */
  | { readonly kind: 'refusal'; readonly error: AclError }

export interface Watch {
  readonly topic: Topic
  /**
   * Set where the topic is wider than what the answer shows: a waiter goes on waiting while what is shown is the same.
   * Decisions: blocking queries.
   */
  readonly filtered?: true
}

export type Handler = (call: Call) => MaybePromise<Answer>

export function json(value: unknown, watch?: Watch): Answer {
  return watch ? { body: { kind: 'json', value }, watch } : { body: { kind: 'json', value } }
}

/** The answer of a read whose record is not there, yet. */
export function missing(error: AclError, topic: Topic): Answer {
  return { body: { kind: 'refusal', error }, watch: { topic } }
}

/** Reads the body against a schema, with the fields that this service version knows. */
export function decode<S extends Schema>(
  call: Call,
  schema: S,
  options: DecodeOptions = {},
): SchemaOutput<S> {
  return decodeBody(schema, call.body, { ...decodeOptions(call.api.profile), ...options })
}

/**
 * The body as JSON, for who must look at it before a schema does.
 *
 * @throws AclError `body_required`, `body_malformed`.
 */
export function readJson(call: Call): Json {
  const text = decodeUtf8(call.body)
  if (text.trim() !== '') return parseJson(text)
  throw new AclError('body_required', 'A JSON body is required, and this request has none')
}

/** Spec 9.3: unknown fields are refused from 1.7.0 and ignored before. */
export function decodeOptions(profile: ServiceProfile): DecodeOptions {
  return { unknownFields: profile.has('body.refuseUnknownFields') ? 'refuse' : 'ignore' }
}

/**
 * Fields of a token body that came with a later version than this. Spec 9.1. Ids could always be repeated in an
 * update; choosing them on create came later.
 */
export function absentTokenFields(profile: ServiceProfile, use: 'create' | 'update'): ReadonlySet<string> {
  const absent = new Set<string>()
  for (const [field, gate] of Object.entries(TOKEN_FIELD_GATES)) {
    if (!profile.has(gate) && !(use === 'update' && gate === 'token.settableIds')) absent.add(field)
  }
  return absent
}

/** Fields of a role body that came with a later version than this. Spec 9.1. */
export function absentRoleFields(profile: ServiceProfile): ReadonlySet<string> {
  return new Set(profile.has('token.nodeIdentities') ? [] : ['NodeIdentities'])
}

/** A record that is not there, in the words of the reference. Decisions: status codes. */
export function notFound(what: string): AclError {
  return new AclError('not_found', `${what} does not exist: ACL not found`)
}
