/** One request in the pipeline, and the answer of its handler. The contract's route determines the types of both. */

import type { Directory, Lane, Turns } from '@latchkey/acl'
import {
  AclError,
  type AnyRoute,
  type Body,
  type Answer as Content,
  type Params,
  type Query,
  type RouteName,
  type RouteOf,
} from '@latchkey/contract'
import type { Caller, Callers } from './caller/caller.ts'
import type { RecordTexts } from './catalog/record-texts.ts'
import type { KeptDecisions } from './decisions/kept-decisions.ts'
import type { KeptHealth } from './health/kept-answers.ts'
import type { LoginRates } from './login/login-rates.ts'
import type { ServiceOptions } from './options.ts'
import type { JsonBytes, JsonDocument, JsonElementBytes, JsonElements, JsonText } from './reply/json-text.ts'
import type { AnswerHeader } from './request/headers.ts'
import type { WireRequest } from './request/wire.ts'
import type { ConsistencyMode, Topic } from './store/store.ts'
import type { TokenTexts } from './tokens/token-json.ts'

export type { Content }

/** Answers the requests of a route. */
export type Handler<N extends RouteName> = (call: Call<N>) => Promise<Answer<N>> | Answer<N>

/** A request that its caller may make, decoded by the schemas of its route. */
export interface Call<N extends RouteName> extends Context {
  readonly params: Params<N>
  /** Options that are given, each decoded when it is first looked at. */
  readonly query: Query<N>
  readonly body: RequestBody<N>
}

/** The body as the route's metadata says: decoded, text, the bytes themselves, or pieces of them. */
type RequestBody<N extends RouteName> = RouteOf<N>['metadata'] extends { readonly body: infer Form }
  ? Form extends 'raw'
    ? Uint8Array
    : Form extends 'stream'
      ? AsyncIterable<Uint8Array>
      : Body<N>
  : Body<N>

/** A call whatever its route, as the pipeline sees it. */
export interface AnyCall extends Context {
  readonly params: Readonly<Record<string, string>>
  readonly query: object
  readonly body: unknown
}

/** What is known of a call besides what it says: its caller, and what it is judged by. */
export interface Context {
  readonly service: ServiceOptions
  readonly callers: Callers
  readonly texts: TokenTexts
  readonly records: RecordTexts
  readonly keptHealth: KeptHealth
  readonly keptDecisions: KeptDecisions
  readonly route: AnyRoute
  readonly mode: ConsistencyMode
  readonly caller: Caller
  readonly directory: Directory
  /** Highest index of the route's table when the directory was read: what is read for the call is no older. */
  readonly tableIndex: number
  /** Namespace of the record: from `ns`, the header, the caller's token, or `default`. A body may name another. Spec 4.9. */
  readonly namespace: string
  /** Whether `ns=*` asked for all namespaces. Spec 4.8. */
  readonly allNamespaces: boolean
  /** Whether the answer is compared with what the client knows: it asks from an index. */
  readonly isBlocking: boolean
  /** Whether a secondary forwarded the write: Local tokens of this datacenter count as missing. */
  readonly isFromSecondary: boolean
  /** Turns of the event loop for work that takes more than a few milliseconds. */
  readonly turns: Turns
  /** Lane for work that holds many megabytes while it takes its turns. */
  readonly lane: Lane
  /** The same for writes, so that questions, which anyone may ask, do not delay them. */
  readonly writeLane: Lane
  /** Lane for walks through the tokens of a namespace. */
  readonly walkLane: Lane
  /** Lane for digests of all records. */
  readonly digestLane: Lane
  /** Lane for work that turns answers into long texts. */
  readonly textLane: Lane
  /** Limits on logins. */
  readonly loginRates: LoginRates
  readonly request: Pick<WireRequest, 'client'>
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal | undefined
  readonly now: number
}

/** What a route answers with 200, in a form that its metadata allows; or what is absent, and worth waiting for. */
export type Answer<N extends RouteName> = RouteOf<N>['metadata'] extends { readonly answerForm: 'text' }
  ? AnswerIn<TextForm>
  : RouteOf<N>['metadata'] extends { readonly answerForm: 'bytes' }
    ? AnswerIn<StreamForm>
    : RouteOf<N>['metadata'] extends {
          readonly otherAnswers: readonly { readonly type: infer Type extends string }[]
        }
      ? AnswerIn<JsonForm<Content<N>> | BytesForm<Type>>
      : JsonAnswer<Content<N>>

/** An answer of a `T`, as JSON. */
export interface JsonAnswer<T> extends AnswerIn<JsonForm<T>> {}

interface AnswerIn<Form> {
  readonly body: Form | Refusal
  /** Tells what wakes a blocking read. */
  readonly watch?: Watch
  /** Where the next page begins, if there is one. */
  readonly nextCursor?: string | undefined
  /** A status that says how the content is. Default: 200. */
  readonly status?: 404 | 409 | 429 | 503
  /** Headers of the answer, in the families of the request. */
  readonly headers?: Readonly<Partial<Record<AnswerHeader, string>>>
  /** Set where rights left rows out. */
  readonly lacksRows?: true
  /** Set where an answer of a route that `holdsSecrets` shows none. */
  readonly showsNoSecret?: true
}

/** JSON of a `T`, made already or not. */
type JsonForm<T> =
  | { readonly kind: 'json'; readonly value: T }
  /** Short as text, which leaves in one piece with its headers; long as bytes. */
  | { readonly kind: 'json-text'; readonly text: JsonText<T> }
  | { readonly kind: 'json-bytes'; readonly bytes: JsonBytes<T> }
  /** Elements in pages; a page may be empty. */
  | {
      readonly kind: 'json-stream'
      readonly pages: AsyncIterable<JsonElements<T> | JsonElementBytes<T>>
    }
  | { readonly kind: 'json-document'; readonly document: JsonDocument<T> }

interface TextForm {
  readonly kind: 'text'
  readonly text: string
}

interface BytesForm<Type extends string> {
  readonly kind: 'bytes'
  readonly bytes: Uint8Array
  /** With its parameters. */
  readonly contentType: Type | `${Type};${string}`
}

/** Bytes of any length. */
interface StreamForm {
  readonly kind: 'byte-stream'
  readonly pieces: AsyncIterable<Uint8Array>
}

/** What is absent is worth waiting for: a refusal that a waiter may see turn into an answer. */
interface Refusal {
  readonly kind: 'refusal'
  readonly error: AclError
}

/** Any answer, as it is rendered. */
export type AnyAnswer = AnswerIn<JsonForm<unknown> | TextForm | BytesForm<string> | StreamForm>
export type AnswerBody = AnyAnswer['body']

export interface Watch {
  readonly topic: Topic
  /**
   * Set if the topic is wider than what the answer shows: a waiter keeps waiting while the answer stays the same.
   * Decisions: blocking queries.
   */
  readonly filtered?: true
  /** Index of the answer, where it is not that of the table of its route. It may be lower, and may decrease. */
  readonly index?: number
  /** For a read of one record, its ModifyIndex. Only a change of that record is news, whatever else the topic covers. */
  readonly modifyIndex?: number
  /** Set where one record is missing and the topic is about it alone: only what touches the topic is news. */
  readonly isOwn?: true
  /**
   * Set where the answer leaves out records whose time is over. An earlier answer at the same index may show them, so it
   * cannot be known from this one.
   */
  readonly leavesOutExpired?: true
  /** Set where what is shown is too long to be compared: a text that changes whenever that does. */
  readonly fingerprint?: string
}

/** An answer of what its route says: `T` is that of the function that returns it, so a wrong value does not compile. */
export function json<T>(value: NoInfer<T>, watch?: Watch): JsonAnswer<T> {
  return watch ? { body: { kind: 'json', value }, watch } : { body: { kind: 'json', value } }
}

/** An answer that tells whether rights left rows out of it. Decisions: read headers. */
export function tellLack<T>(answer: JsonAnswer<T>, lacksRows: boolean): JsonAnswer<T> {
  return lacksRows ? { ...answer, lacksRows } : answer
}

/** The answer of a read whose record is not there, yet. */
export function missing(error: AclError, watch: Watch): AnswerIn<never> {
  return { body: { kind: 'refusal', error }, watch }
}

/** A record that is not there, in the words of the reference. Decisions: status codes. */
export function notFound(what: string): AclError {
  return new AclError('not_found', `${what} does not exist: ACL not found`)
}
