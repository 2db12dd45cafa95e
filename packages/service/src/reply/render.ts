/** Renders answers and refusals as wire replies. Only this file turns an error into a status. Decisions: error bodies. */
import type { AnyRoute, Dialect, EndpointName } from '@latchkey/contract'
import {
  ACL_ERRORS,
  AclError,
  PROBLEM_JSON,
  REQUEST_ID_HEADER,
  referenceHeadersOf,
  referenceTextOf,
  routeOf,
  statusOf,
} from '@latchkey/contract'
import type { AnswerBody, AnyAnswer } from '../handler.ts'
import type { HeaderSource } from '../request/headers.ts'
import type { WireReply, WireRequest } from '../request/wire.ts'
import { JSON_TYPE, parseExact, stringify } from './json-text.ts'

export interface ReplyContext {
  readonly request: WireRequest
  readonly endpoint: EndpointName | undefined
  /** In the path. */
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly accessorId: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly pretty: boolean
  /** Of the client's family; see {@link dialectFor}. */
  readonly dialect: Dialect
}

const TEXT_TYPE = 'text/plain; charset=utf-8'
const TYPES = {
  ...{ text: TEXT_TYPE, bytes: 'application/octet-stream', 'byte-stream': 'application/octet-stream' },
  ...{ json: JSON_TYPE, 'json-text': JSON_TYPE },
  ...{ 'json-bytes': JSON_TYPE, 'json-document': JSON_TYPE, 'json-stream': JSON_TYPE },
} as const

/**
 * The reference calls the value of a key, and a health, a text without a charset. Browsers treat a value as such, because of
 * {@link FOREIGN_CONTENT}.
 */
function typeOf(own: string, kind: AnyAnswer['body']['kind'], dialect: Dialect): string {
  const isPlain = own === TYPES.bytes || own === TEXT_TYPE
  return kind === 'bytes' && isPlain && dialect === 'reference' ? 'text/plain' : own
}

/** For content that a caller stored: a browser must not treat it as a page, nor run it as part of this origin. */
export const FOREIGN_CONTENT = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy': 'sandbox',
} as const

/** @param route of the answer; says whether it can contain secrets. */
export function renderAnswer(
  answer: AnyAnswer,
  context: ReplyContext,
  { holdsSecrets }: Pick<AnyRoute, 'holdsSecrets'>,
): WireReply {
  if (answer.body.kind === 'refusal') return renderError(answer.body.error, context)
  const { kind } = answer.body
  const guards = kind === 'bytes' || kind === 'byte-stream' ? FOREIGN_CONTENT : undefined
  const own = 'contentType' in answer.body ? answer.body.contentType : undefined
  const dialect = dialectFor(context)
  const isUntyped = dialect === 'reference' && answer.body.kind === 'text' && answer.body.text === ''
  return {
    status: answer.status ?? 200,
    headers: {
      ...(dialect === 'reference' ? referenceHeadersOf(context.headers, context.endpoint) : context.headers),
      ...guards,
      ...(isUntyped ? {} : { 'Content-Type': typeOf(own ?? TYPES[kind], kind, dialect) }),
      'Cache-Control': 'no-store',
      [REQUEST_ID_HEADER]: context.request.requestId,
    },
    body: renderBody(answer.body, context.pretty),
    isCompressible: kind !== 'byte-stream' && (!holdsSecrets || answer.showsNoSecret === true),
    endpoint: context.endpoint,
    accessorId: context.accessorId,
  }
}

const decoder = new TextDecoder()

function renderBody(
  body: Exclude<AnswerBody, { kind: 'refusal' }>,
  pretty: boolean,
): Exclude<WireReply['body'], undefined> {
  switch (body.kind) {
    case 'bytes':
      return body.bytes
    case 'byte-stream':
      return body.pieces
    case 'text':
      return body.text
    case 'json-document':
      return body.document.bytes({ pretty })
    case 'json':
      return stringify(body.value, pretty)
    case 'json-text':
      return pretty ? indent(body.text) : body.text
    case 'json-bytes':
      return pretty ? indent(decoder.decode(body.bytes)) : body.bytes
    case 'json-stream':
      return streamArray(body.pages, pretty)
  }
}

function indent(text: string): string {
  return stringify(parseExact(text), true)
}

/**
 * The text of a JSON array, one page of elements at a time. Not a generator: a generator would keep each page until the next.
 */
function streamArray(
  pages: AsyncIterable<string | Uint8Array>,
  pretty: boolean,
): AsyncIterable<string | Uint8Array> {
  const iterator = pages[Symbol.asyncIterator]()
  let opening = '['
  let isOver = false
  const next = async (): Promise<IteratorResult<string | Uint8Array, undefined>> => {
    if (isOver) return { done: true, value: undefined }
    let page = await iterator.next()
    while (page.value?.length === 0) page = await iterator.next()
    const start = opening
    opening = ','
    if (!page.done) return { done: false, value: pageText(start, page.value, pretty) }
    isOver = true
    return { done: false, value: start === '[' ? '[]' : pretty ? '\n]\n' : ']' }
  }
  const leave = async () => {
    await iterator.return?.()
    return { done: true, value: undefined } as const
  }
  return { [Symbol.asyncIterator]: () => ({ next, return: leave }) }
}

function pageText(start: string, page: string | Uint8Array, pretty: boolean): string | Uint8Array {
  if (typeof page === 'string') return start + (pretty ? indentElements(page) : page)
  if (pretty) return start + indentElements(decoder.decode(page))
  const text = new Uint8Array(1 + page.length)
  text[0] = start.charCodeAt(0)
  text.set(page, 1)
  return text
}

function indentElements(elements: string): string {
  return indent(`[${elements}]`).slice(1, -'\n]\n'.length)
}

/** Whether a client understands our refusals, and with them our dialect. */
export function acceptsProblem(request: HeaderSource): boolean {
  return request.header('accept')?.toLowerCase().includes(PROBLEM_JSON) ?? false
}

/** A request that accepts problem documents always gets our own dialect. */
function dialectFor({ dialect, request }: ReplyContext): Dialect {
  return dialect === 'reference' && !acceptsProblem(request) ? 'reference' : 'service'
}

/**
 * Text by default, problem JSON if the request accepts it, which then always has our own status. A 5xx of our own contains
 * only the request ID.
 */
export function renderError(error: unknown, context: ReplyContext): WireReply {
  const refusal =
    error instanceof AclError ? error : new AclError('internal', 'Internal error', { cause: error })
  const { requestId } = context.request
  const asProblem = acceptsProblem(context.request)
  const dialect = dialectFor(context)
  const status = statusOf(
    { code: refusal.code, field: refusal.details.field },
    dialect,
    context.endpoint && routeOf(context.endpoint),
  )
  const detail = refusal.code === 'internal' ? `Internal error (request ${requestId})` : refusal.message
  const { field, missing, accessorId, line, column } = refusal.details
  const problem = {
    type: `urn:latchkey:error:${refusal.code}`,
    title: ACL_ERRORS[refusal.code].title,
    status,
    detail,
    code: refusal.code,
    field,
    line,
    column,
    missing,
    accessorId,
    requestId,
  }
  const isOfReference = dialect === 'reference' && refusal.code !== 'internal'
  const text = isOfReference
    ? referenceTextOf(refusal, { ...context, status, url: context.request.url })
    : detail
  const asText = status === 200 ? ([JSON_TYPE, 'true'] as const) : ([TEXT_TYPE, text] as const)
  const [type, body] = asProblem ? ([PROBLEM_JSON, JSON.stringify(problem)] as const) : asText
  return {
    status,
    headers: {
      ...(isOfReference
        ? referenceHeadersOf(context.headers, context.endpoint, refusal.code)
        : context.headers),
      ...refusal.details.headers,
      ...(isOfReference && body === '' ? {} : { 'Content-Type': type }),
      'Cache-Control': 'no-store',
      [REQUEST_ID_HEADER]: requestId,
    },
    body,
    endpoint: context.endpoint,
    accessorId: context.accessorId,
    error,
  }
}
