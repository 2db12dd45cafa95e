/** Sends one request to another datacenter and passes on its reply. Decisions: datacenters. */
import type { TokenRecord } from '@latchkey/acl'
import {
  ACL_ERRORS,
  AclError,
  type AclErrorDetails,
  limits,
  PROBLEM_JSON,
  type Problem,
  REQUEST_ID_HEADER,
} from '@latchkey/contract'
import type { Admission } from '../caller/admission.ts'
import { type Callers, callerUnknown, isCallerUnknown } from '../caller/caller.ts'
import type { ServiceOptions } from '../options.ts'
import { FOREIGN_CONTENT, renderError } from '../reply/render.ts'
import { DATACENTER_FAMILY, forwardedHeader } from '../request/headers.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import { datacenterUnreachable, type ForwardedReply } from './datacenters.ts'

export interface ForwardingParts {
  readonly service: ServiceOptions
  readonly callers: Callers
  readonly admission: Admission
  /** Answers a request here whose body was already read. */
  readonly answerHere: (
    asked: ParsedRequest,
    received: Uint8Array | undefined,
  ) => WireReply | Promise<WireReply>
}

interface Sent {
  readonly name: string
  /** Whether the request names its datacenter in `dc`. Otherwise it is a write for the primary. */
  readonly isNamed: boolean
  readonly secretId: string | undefined
  /** The caller's token, if known here. */
  readonly token: TokenRecord | undefined
  readonly body: Uint8Array | undefined
}

/** Request headers that are forwarded unchanged, besides those of the family. */
const SENT_HEADERS = ['content-type', 'cache-control'] as const
/** Reply headers that are passed on, besides those of the family. */
const ANSWERED_HEADERS = ['Content-Type', 'Retry-After', 'Allow'] as const
const REPLACED_OPTIONS: ReadonlySet<string | undefined> = new Set(['dc', 'token'])
/** What a header can contain. */
export const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]*$/
const REFUSAL_BYTES_MAX = 65_536

/**
 * Sends a client's request to another datacenter. If the caller's local token was not sent and the reply is a 403, the reply
 * says so.
 *
 * @throws AclError `datacenter_unreachable`, `datacenter_silent`; `caller_unknown` for a secret that a header cannot contain.
 */
export async function exchange(
  asked: ParsedRequest,
  sent: Sent,
  { service, callers }: ForwardingParts,
): Promise<ForwardedReply> {
  const { request, route, params } = asked
  const { name, token, body } = sent
  const { datacenters, datacenter } = service
  if (!datacenters?.names.includes(name)) throw datacenterUnreachable(name)
  const reply = await datacenters.send(name, {
    method: request.method,
    url: urlFor(request.url, sent),
    headers: headersFor(asked, sent, datacenter),
    body,
    waitMs: waitMsOf(asked),
    isOfKnownCaller: token !== undefined && sent.secretId !== undefined,
    signal: request.signal,
  })
  if (reply.status === 200 && route.writes === 'token') {
    // A logout names no token: it deletes the caller's.
    const changed = params.AccessorID ?? token?.AccessorID
    if (changed !== undefined) callers.noteChange(changed)
  }
  if (reply.status !== 403 || !token?.Local) return reply
  const refusal = await collect(reply.body, REFUSAL_BYTES_MAX).catch((error: unknown) => {
    throw datacenterUnreachable(name, error)
  })
  const addition = `; the local token of ${datacenter} is not valid in ${name}`
  return { ...reply, body: once(withAddition(refusal, addition)) }
}

/** Passes an answer on unchanged, and renders a refusal in the dialect of the client. */
export async function passOn(
  { request, state }: Pick<ParsedRequest, 'request' | 'state'>,
  reply: ForwardedReply,
): Promise<WireReply> {
  state.adoptHeaders(reply, DATACENTER_FAMILY)
  const passed = Object.fromEntries(
    ANSWERED_HEADERS.flatMap((header) => {
      const value = reply.header(header.toLowerCase())
      return value === undefined ? [] : [[header, value] as const]
    }),
  )
  const isRefusal = passed['Content-Type']?.startsWith(PROBLEM_JSON)
  const text = isRefusal && (await collect(reply.body, REFUSAL_BYTES_MAX))
  const refusal = text && refusalOf(text, passed)
  if (refusal) return renderError(refusal, state)
  return {
    status: reply.status,
    headers: {
      ...state.headers,
      ...FOREIGN_CONTENT,
      ...passed,
      'Cache-Control': 'no-store',
      [REQUEST_ID_HEADER]: request.requestId,
    },
    body: text || reply.body,
    endpoint: state.endpoint,
    accessorId: state.accessorId,
  }
}

export async function collect(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body) {
    length += piece.length
    if (length > bytesMax) throw new RangeError(`the answer is longer than ${bytesMax} bytes`)
    pieces.push(piece)
  }
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

export async function* once(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}

/** A malformed document from the other datacenter is returned unchanged. */
function withAddition(refusal: Uint8Array, addition: string): Uint8Array {
  const problem = problemOf(refusal)
  if (!problem) return refusal
  return new TextEncoder().encode(JSON.stringify({ ...problem, detail: `${problem.detail}${addition}` }))
}

function problemOf(document: Uint8Array): Problem | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(document))
  } catch {
    return undefined
  }
}

/** Undefined for a code that this version does not know. */
function refusalOf(document: Uint8Array, headers: Readonly<Record<string, string>>): AclError | undefined {
  const problem = problemOf(document)
  if (!problem || !Object.hasOwn(ACL_ERRORS, problem.code)) return undefined
  return new AclError(problem.code, problem.detail, { ...problem, headers } as AclErrorDetails)
}

/** Leaves the rest of the query byte for byte. Keeps `dc`, so that a server of a different datacenter refuses the request. */
function urlFor(url: string, { name, isNamed }: Sent): string {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const kept = query
    .split('&')
    .filter((part) => part !== '' && !REPLACED_OPTIONS.has(new URLSearchParams(part).keys().next().value))
  const options = isNamed ? [...kept, `dc=${encodeURIComponent(name)}`] : kept
  return options.length === 0 ? path : `${path}?${options.join('&')}`
}

function headersFor(
  { request, namespaceHeader }: ParsedRequest,
  { name, isNamed, secretId }: Sent,
  from: string,
): Record<string, string> {
  if (secretId !== undefined && !HEADER_TEXT.test(secretId)) throw callerUnknown()
  const sent = SENT_HEADERS.flatMap((header) => {
    const value = request.header(header)
    return value === undefined ? [] : [[header, value] as const]
  })
  return {
    ...Object.fromEntries(sent),
    // Servers speak our own statuses among themselves.
    accept: `${PROBLEM_JSON}, ${request.header('accept') ?? '*/*'}`,
    ...(namespaceHeader === undefined ? {} : { [DATACENTER_FAMILY.namespace]: namespaceHeader }),
    ...(secretId === undefined ? {} : { [DATACENTER_FAMILY.token]: secretId }),
    ...forwardedHeader(isNamed ? { from } : { from, primary: name }),
    [REQUEST_ID_HEADER]: request.requestId,
  }
}

function waitMsOf({ options: { index, waitMs } }: ParsedRequest): number {
  return index > 0 ? waitMs * (1 + 1 / limits.WAIT_JITTER_DIVISOR) : 0
}

export async function knownToken(
  { secretId }: ParsedRequest,
  { service: { store }, callers }: ForwardingParts,
): Promise<TokenRecord | undefined> {
  if (secretId === undefined) return undefined
  await store.refresh('default')
  try {
    return (await callers.resolve(secretId, store)).token
  } catch (error) {
    if (isCallerUnknown(error)) return undefined
    throw error
  }
}
