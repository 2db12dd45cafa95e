/** One request in the pipeline, and the answer of its handler. The contract's route determines the types of both. */
import type { Directory } from '@latchkey/acl'
import type { RecordView } from '@latchkey/catalog'
import type { AnyRoute, Body, Answer as Content, Params, Query, RouteName, RouteOf } from '@latchkey/contract'
import { AclError } from '@latchkey/contract'
import type { Caller, Callers } from './caller/caller.ts'
import type { DecisionCache } from './decisions/decision-cache.ts'
import type { HealthCache } from './health/health-cache.ts'
import type { Semaphore } from './limits/semaphore.ts'
import type { LoginLimits } from './login/login-limits.ts'
import type { ServiceOptions } from './options.ts'
import type { JsonBytes, JsonDocument, JsonElementBytes, JsonElements, JsonText } from './reply/json-text.ts'
import type { AnswerHeader, HeaderFamily } from './request/headers.ts'
import type { WireRequest } from './request/wire.ts'
import type { ConsistencyMode, Topic } from './store/store.ts'
import type { TokenTexts } from './tokens/token-json.ts'
import type { Turns } from './turns.ts'

export type { Content }

export type Handler<N extends RouteName> = (call: Call<N>) => Promise<Answer<N>> | Answer<N>

export interface Call<N extends RouteName> extends Context {
  readonly params: Params<N>
  readonly query: Query<N>
  readonly body: RequestBody<N>
}

/** The body in the form that the route's metadata declares: decoded, text, bytes, or a stream of bytes. */
type RequestBody<N extends RouteName> = RouteOf<N>['metadata'] extends { readonly body: infer Form }
  ? Form extends 'raw'
    ? Uint8Array
    : Form extends 'stream'
      ? AsyncIterable<Uint8Array>
      : Body<N>
  : Body<N>

export interface AnyCall extends Context {
  readonly params: Readonly<Record<string, string>>
  readonly query: object
  readonly body: unknown
}

/** What all calls of a service share. */
export interface CallServices {
  readonly callers: Callers
  readonly texts: TokenTexts
  /** How this version shows records of the catalog. */
  readonly view: RecordView
  readonly healthCache: HealthCache
  readonly decisionCache: DecisionCache
  /** Turns of the event loop for work that takes more than a few milliseconds. */
  readonly turns: Turns
  /** Limits scans over the tokens of a namespace. */
  readonly walks: Semaphore
  readonly longTexts: Semaphore
  readonly loginLimits: LoginLimits
}

/** The context of a call: its caller, and the state against which it is authorized. */
export interface Context extends CallServices {
  readonly service: ServiceOptions
  readonly route: AnyRoute
  readonly mode: ConsistencyMode
  readonly caller: Caller
  /** Set if the caller may write nothing that the request may name. The handler then only finds the right to name. */
  readonly refusal?: AclError
  readonly directory: Directory
  /** Highest index of the route's table when the directory was read. Later reads of the call are at least as recent. */
  readonly tableIndex: number
  /** Namespace of the record: from `ns`, the header, the caller's token, or `default`. A body may name another. Spec 4.9. */
  readonly namespace: string
  /** Whether the request has `ns=*`, for all namespaces. Spec 4.8. */
  readonly allNamespaces: boolean
  /** Whether the request has an index, with which the answer is compared. */
  readonly isBlocking: boolean
  /** Whether a secondary forwarded the write: local tokens of this datacenter then count as missing. */
  readonly isFromSecondary: boolean
  readonly request: Pick<WireRequest, 'client' | 'header'>
  /** The header family of the request, or the first one of the service. */
  readonly family: HeaderFamily
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal | undefined
  readonly now: number
}

/** The body of a 200 in a form that the route's metadata allows, or a refusal because a record is missing. */
export type Answer<N extends RouteName> = RouteOf<N>['metadata'] extends { readonly answerForm: 'text' }
  ? AnswerIn<TextForm>
  : RouteOf<N>['metadata'] extends { readonly answerForm: 'bytes' }
    ? AnswerIn<StreamForm>
    : RouteOf<N>['metadata'] extends {
          readonly otherAnswers: readonly { readonly type: infer Type extends string }[]
        }
      ? AnswerIn<JsonForm<Content<N>> | BytesForm<Type>>
      : JsonAnswer<Content<N>>

export interface JsonAnswer<T> extends AnswerIn<JsonForm<T>> {}

interface AnswerIn<Form> {
  readonly body: Form | Refusal
  readonly watch?: Watch
  readonly nextCursor?: string | undefined
  /** A status that describes the content. Default: 200. */
  readonly status?: 404 | 409 | 429 | 503
  /** Headers of the answer, in the header families of the request. */
  readonly headers?: Readonly<Partial<Record<AnswerHeader, string>>>
  /** Set if rows are left out because the caller has no right to them. */
  readonly lacksRows?: true
  /** Set if the answer of a route that `holdsSecrets` contains no secret. */
  readonly showsNoSecret?: true
}

type JsonForm<T> =
  | { readonly kind: 'json'; readonly value: T }
  /** Short JSON as text, sent in one piece with the headers; long JSON as bytes. */
  | { readonly kind: 'json-text'; readonly text: JsonText<T> }
  | { readonly kind: 'json-bytes'; readonly bytes: JsonBytes<T> }
  /** Elements in pages; a page may be empty. */
  | { readonly kind: 'json-stream'; readonly pages: AsyncIterable<JsonElements<T> | JsonElementBytes<T>> }
  | { readonly kind: 'json-document'; readonly document: JsonDocument<T> }

interface TextForm {
  readonly kind: 'text'
  readonly text: string
}

interface BytesForm<Type extends string> {
  readonly kind: 'bytes'
  readonly bytes: Uint8Array
  readonly contentType: Type | `${Type};${string}`
}

interface StreamForm {
  readonly kind: 'byte-stream'
  /** Default: `application/octet-stream`. */
  readonly contentType?: string
  readonly pieces: AsyncIterable<Uint8Array>
}

/** A missing record for which a blocking query can wait: the refusal may turn into an answer. */
interface Refusal {
  readonly kind: 'refusal'
  readonly error: AclError
}

export type AnyAnswer = AnswerIn<JsonForm<unknown> | TextForm | BytesForm<string> | StreamForm>
export type AnswerBody = AnyAnswer['body']

export interface Watch {
  readonly topic: Topic
  /**
   * Set if the topic is wider than what the answer shows: a waiter keeps waiting while the answer stays the same. Decisions:
   * blocking queries.
   */
  readonly filtered?: true
  /** Index of the answer, if it is not the index of the route's table. It may be lower, and may decrease. */
  readonly index?: number
  /**
   * For a read of one record, its ModifyIndex. Only a change to that record wakes the waiter, even if the topic covers more.
   */
  readonly modifyIndex?: number
  /** Set if one record is missing and the topic covers it alone: only a commit that touches the topic wakes the waiter. */
  readonly isOwn?: true
  /**
   * Set if the answer leaves out expired records. An earlier answer at the same index may have shown them, so it cannot be
   * derived from this one.
   */
  readonly leavesOutExpired?: true
  /** Set if the content is too long to compare: a text that changes whenever the content does. */
  readonly fingerprint?: string
}

/** Returns a JSON answer. `T` comes from the return type of the calling function, so a wrong value does not compile. */
export function json<T>(value: NoInfer<T>, watch?: Watch): JsonAnswer<T> {
  return watch ? { body: { kind: 'json', value }, watch } : { body: { kind: 'json', value } }
}

/** An answer that says whether rows were left out for lack of rights. Decisions: read headers. */
export function tellLack<T>(answer: JsonAnswer<T>, lacksRows: boolean): JsonAnswer<T> {
  return lacksRows ? { ...answer, lacksRows } : answer
}

/** The answer of a read whose record does not exist yet. */
export function missing(error: AclError, watch: Watch): AnswerIn<never> {
  return { body: { kind: 'refusal', error }, watch }
}

/** A missing record, in the reference's wording. Decisions: status codes. */
export function notFound(what: string): AclError {
  return new AclError('not_found', `${what} does not exist: ACL not found`)
}

export type Done = Answer<'agentChecks.pass'>

export function done(): Done {
  return { body: { kind: 'text', text: '' } }
}
