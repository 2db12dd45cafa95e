/** Converts a response to the value of the call or to an error. */

import { ENDPOINTS, type Endpoint } from '../contract.ts'
import { ContractBroken } from '../errors.ts'
import { type AnswerMeta, readMeta, type WithMeta } from '../meta.ts'
import { readRetryAfter } from '../time.ts'
import { type Call, factsOf } from './call.ts'
import { refusalOf } from './refusal.ts'

/** Maximum bytes to read of an error's body; the rest is discarded. */
const REFUSAL_BYTES_MAX = 65_536

interface Reading {
  readonly call: Call
  readonly headerPrefix: string
  /** Redacts the call's secrets in a text. */
  readonly clean: (text: string) => string
}

/** @throws LatchkeyError, or the network error that broke off the body. */
export async function readAnswer(response: Response, reading: Reading): Promise<WithMeta<unknown>> {
  const { call, headerPrefix, clean } = reading
  const facts = readMeta(response.headers, headerPrefix)
  const meta = { ...facts, requestId: facts.requestId && clean(facts.requestId) }
  const mediaType = mediaTypeOf(response)
  const isAnswer = response.status === call.alsoAnswers && mediaType === 'application/json'
  if (response.status === 200 || isAnswer)
    return { ...meta, value: await readValue(response, mediaType, reading, meta) }
  throw refusalOf({
    call,
    status: response.status,
    mediaType,
    body: await readRefusal(response),
    meta,
    retryAfterMs: readRetryAfter(response.headers),
    clean,
  })
}

async function readValue(
  response: Response,
  mediaType: string,
  { call, clean }: Reading,
  meta: AnswerMeta,
): Promise<unknown> {
  const { form = 'json', endpoint } = call
  const broken = (what: string): ContractBroken =>
    new ContractBroken({
      ...factsOf(call, true),
      message: `${endpoint}: the answer ${what}`,
      status: response.status,
      meta,
    })
  if (form === 'stream') return response.body ?? new Response('').body
  if (form === 'bytes') return new Uint8Array(await response.arrayBuffer())
  const isExpected = form === 'text' ? mediaType === 'text/plain' : mediaType === 'application/json'
  if (!isExpected) throw broken(`has the content type ${clean(mediaType) || 'of nothing'}`)
  const text = await response.text()
  if (form === 'text') return text
  const value = parse(text)
  // Drops the parser's message: it quotes the text, which may contain a secret.
  if (value === undefined) throw broken('is not valid JSON')
  const { answer, mayBeBoolean, mayBeNull }: Endpoint = ENDPOINTS[endpoint]
  if (value === null && mayBeNull) return value
  if (typeof value === 'boolean' && mayBeBoolean) return value
  if (kindOfJson(value) !== answer) throw broken(`is not ${withArticle(answer)}`)
  return value
}

/** Only the flags of keys can be that long. Other answers are parsed without a reviver, which is faster. */
const hasLongNumber = /:\s*\d{16}/

/** Parses a number as a bigint if a double would round it. */
function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  return typeof value === 'number' &&
    source !== undefined &&
    !Number.isSafeInteger(value) &&
    /^\d+$/.test(source)
    ? BigInt(source)
    : value
}

function parse(text: string): unknown {
  try {
    return JSON.parse(
      text,
      hasLongNumber.test(text) ? (exact as Parameters<typeof JSON.parse>[1]) : undefined,
    )
  } catch {
    return undefined
  }
}

function kindOfJson(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  return value === null ? 'null' : typeof value
}

function withArticle(kind: string): string {
  return `${/^[ao]/.test(kind) ? 'an' : 'a'} ${kind}`
}

function mediaTypeOf(response: Response): string {
  const [mediaType = ''] = (response.headers.get('Content-Type') ?? '').split(';')
  return mediaType.trim().toLowerCase()
}

/** A truncated body must not hide the status of a 429 or 5xx. */
async function readRefusal(response: Response): Promise<string> {
  const body = readStart(response, REFUSAL_BYTES_MAX)
  return response.status === 429 || response.status >= 500 ? body.catch(() => '') : body
}

/** Reads the start of a body as text and cancels the rest. */
async function readStart(response: Response, bytesMax: number): Promise<string> {
  if (!response.body) return ''
  const reader = response.body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  while (bytes < bytesMax) {
    const { value, done } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  return text
}
