/** From answers and refusals to wire replies. The one place that turns an error into a status. Design 6. */
import { ACL_ERRORS, AclError, type EndpointName, PROBLEM_JSON, REQUEST_ID_HEADER } from '@latchkey/contract'
import type { Answer, AnswerBody } from './call.ts'
import type { WireReply, WireRequest } from './wire.ts'

/** What is known of a request when its reply is made. */
export interface ReplyContext {
  readonly request: WireRequest
  readonly endpoint: EndpointName | undefined
  readonly accessorId: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly pretty: boolean
}

const encoder = new TextEncoder()
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COMMA = 0x2c
const PRETTY_INDENT = 4
const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'

export function renderAnswer(answer: Answer, context: ReplyContext): WireReply {
  if (answer.body.kind === 'refusal') return renderError(answer.body.error, context)
  const { bytes, contentType } = renderBody(answer.body, context.pretty)
  return {
    status: 200,
    headers: {
      ...context.headers,
      ...answer.headers,
      'Content-Type': contentType,
      'Cache-Control': 'no-store',
      [REQUEST_ID_HEADER]: context.request.requestId,
    },
    body: bytes,
    endpoint: context.endpoint,
    accessorId: context.accessorId,
  }
}

function renderBody(
  body: Exclude<AnswerBody, { kind: 'refusal' }>,
  pretty: boolean,
): { readonly bytes: Exclude<WireReply['body'], undefined>; readonly contentType: string } {
  switch (body.kind) {
    case 'bytes':
      return { bytes: body.bytes, contentType: body.contentType }
    case 'json':
      return { bytes: stringify(body.value, pretty), contentType: JSON_TYPE }
    case 'json-bytes':
      return { bytes: pretty ? indent(body.bytes) : body.bytes, contentType: JSON_TYPE }
    case 'json-stream':
      return { bytes: streamArray(body.pages, pretty), contentType: JSON_TYPE }
  }
}

function stringify(value: unknown, pretty: boolean): string {
  return pretty ? `${JSON.stringify(value, undefined, PRETTY_INDENT)}\n` : JSON.stringify(value)
}

function indent(bytes: Uint8Array): string {
  return stringify(JSON.parse(new TextDecoder().decode(bytes)), true)
}

/** The text of a JSON array, a page of elements at a time. */
async function* streamArray(
  pages: AsyncIterable<readonly Uint8Array[]>,
  pretty: boolean,
): AsyncGenerator<Uint8Array> {
  let separator = '['
  for await (const page of pages) {
    const parts: Uint8Array[] = []
    for (const element of page) {
      parts.push(
        encoder.encode(pretty ? `${separator}\n` : separator),
        pretty ? indentElement(element) : element,
      )
      separator = ','
    }
    yield concat(parts)
  }
  yield encoder.encode(separator === '[' ? '[]' : pretty ? '\n]\n' : ']')
}

function indentElement(element: Uint8Array): Uint8Array {
  const margin = ' '.repeat(PRETTY_INDENT)
  return encoder.encode(margin + indent(element).trimEnd().replaceAll('\n', `\n${margin}`))
}

/** A JSON array of elements that are JSON text already. */
export function joinJson(elements: readonly Uint8Array[]): Uint8Array {
  let length = 2 + Math.max(0, elements.length - 1)
  for (const element of elements) length += element.length
  const whole = new Uint8Array(length)
  whole[0] = OPEN_BRACKET
  let at = 1
  for (const element of elements) {
    if (at > 1) whole[at++] = COMMA
    whole.set(element, at)
    at += element.length
  }
  whole[at] = CLOSE_BRACKET
  return whole
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Text by default, problem JSON where the request accepts it. A 5xx of ours says nothing but the request's id. */
export function renderError(error: unknown, context: ReplyContext): WireReply {
  const refusal =
    error instanceof AclError ? error : new AclError('internal', 'Internal error', { cause: error })
  const { status, title } = ACL_ERRORS[refusal.code]
  const { requestId } = context.request
  const detail = refusal.code === 'internal' ? `Internal error (request ${requestId})` : refusal.message
  const { field, missing, accessorId, line, column } = refusal.details
  const problem = {
    type: `urn:latchkey:error:${refusal.code}`,
    title,
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
  const asProblem = context.request.header('accept')?.toLowerCase().includes(PROBLEM_JSON) ?? false
  return {
    status,
    headers: {
      ...context.headers,
      ...refusal.details.headers,
      'Content-Type': asProblem ? PROBLEM_JSON : TEXT_TYPE,
      'Cache-Control': 'no-store',
      [REQUEST_ID_HEADER]: requestId,
    },
    body: asProblem ? JSON.stringify(problem) : detail,
    endpoint: context.endpoint,
    accessorId: context.accessorId,
    error,
  }
}
