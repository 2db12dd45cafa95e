/** Requests for another datacenter: `?dc=`. Decisions: datacenters. */
import { AclError, HEADER, invariant, limits, REQUEST_ID_HEADER } from '@latchkey/contract'
import { type Callers, callerUnknown } from '../caller/caller.ts'
import type { ServiceOptions } from '../options.ts'
import { FOREIGN_CONTENT } from '../reply/render.ts'
import { familiesOf, type HeaderFamily } from '../request/headers.ts'
import type { ParsedRequest } from '../request/parse.ts'
import type { WireReply } from '../request/wire.ts'
import type { Datacenters } from './datacenters.ts'

export interface ForwardingParts {
  readonly service: Pick<ServiceOptions, 'store' | 'datacenter'>
  readonly datacenters: Datacenters
  readonly callers: Callers
  readonly families: readonly HeaderFamily[]
}

/** Request headers that are sent on, besides those of the family. */
const SENT_HEADERS = ['accept', 'content-type', 'cache-control'] as const
/** Headers of the answer that the client gets, besides those of the family. */
const ANSWERED_HEADERS = ['Content-Type', 'Retry-After', 'Allow'] as const
/** Query options that are replaced: the datacenter by its first value, the secret by a header. */
const REPLACED_OPTIONS: ReadonlySet<string | undefined> = new Set(['dc', 'token'])
/** What a header can carry. */
const HEADER_TEXT = /^[\x20-\x7e\x80-\xff]*$/

/**
 * Sends a request to the datacenter that it names, and answers what that answers. The other datacenter decides about
 * everything but the query options of every endpoint.
 *
 * A secret that is known here as that of a local token is not sent: it is valid nowhere else. Any other secret is sent,
 * known or not, because the other datacenter may know it.
 *
 * @throws AclError `datacenter_unknown` for a request that was forwarded already; `query_invalid`, `datacenter_unreachable`,
 *   `datacenter_silent`, `unavailable`, and those of a body.
 */
export async function forward(
  asked: ParsedRequest,
  name: string,
  { service, datacenters, callers, families }: ForwardingParts,
): Promise<WireReply> {
  const { request, route, state } = asked
  if (families.some(({ forwarded }) => request.header(forwarded) !== undefined)) {
    const message = 'No path to datacenter: the request was forwarded twice'
    throw new AclError('datacenter_unknown', message, { field: 'dc' })
  }
  if (route.name === 'tokens.bootstrap') {
    const message = 'Invalid dc: bootstrap a datacenter at one of its own servers'
    throw new AclError('query_invalid', message, { field: 'dc' })
  }
  const [family] = familiesOf(request, families)
  invariant(family, 'there is always a family')
  const known = await knownCaller(asked, { service, callers })
  const isLocal = known?.token.Local === true
  if (isLocal) {
    state.headers.Warning = `299 - "The local token of ${service.datacenter} is not valid in ${name}: the request was sent without it"`
  } else state.accessorId = known?.token.AccessorID
  const bytesMax = known ? limits.BODY_BYTES_MAX : limits.ANONYMOUS_BODY_BYTES_MAX
  const reply = await datacenters.send(name, {
    method: request.method,
    url: urlFor(request.url, name),
    headers: headersFor(asked, isLocal ? undefined : asked.secretId, { family, from: service.datacenter }),
    body: route.body === undefined ? undefined : await request.readBody(bytesMax),
    waitMs: waitMsOf(asked),
    signal: request.signal,
  })
  state.adoptHeaders(reply, family)
  const passed = ANSWERED_HEADERS.flatMap((header) => {
    const value = reply.header(header.toLowerCase())
    return value === undefined ? [] : [[header, value] as const]
  })
  return {
    status: reply.status,
    headers: {
      ...state.headers,
      ...FOREIGN_CONTENT,
      ...Object.fromEntries(passed),
      'Cache-Control': 'no-store',
      [REQUEST_ID_HEADER]: request.requestId,
    },
    body: reply.body,
    endpoint: state.endpoint,
    accessorId: state.accessorId,
  }
}

/** The token of the caller, if its secret is known here. */
async function knownCaller(
  { secretId }: ParsedRequest,
  { service: { store }, callers }: Pick<ForwardingParts, 'service' | 'callers'>,
): Promise<Awaited<ReturnType<Callers['resolve']>> | undefined> {
  if (secretId === undefined) return undefined
  await store.refresh('default')
  try {
    return await callers.resolve(secretId, store)
  } catch (error) {
    if (error instanceof AclError && error.code === 'caller_unknown') return undefined
    throw error
  }
}

/** The rest of the query stays byte for byte. The datacenter stays, too: a server of another one refuses it. */
function urlFor(url: string, name: string): string {
  const [path = '', query = ''] = url.split(/\?(.*)/s)
  const kept = query.split('&').filter((part) => part !== '' && !REPLACED_OPTIONS.has(nameOf(part)))
  return `${path}?${[...kept, `dc=${encodeURIComponent(name)}`].join('&')}`
}

function nameOf(part: string): string | undefined {
  return new URLSearchParams(part).keys().next().value
}

/** @throws AclError `caller_unknown` for a secret that no header can carry. */
function headersFor(
  { request }: ParsedRequest,
  secretId: string | undefined,
  { family, from }: { readonly family: HeaderFamily; readonly from: string },
): Record<string, string> {
  if (secretId !== undefined && !HEADER_TEXT.test(secretId)) throw callerUnknown()
  const sent = [...SENT_HEADERS, family.namespace].flatMap((name) => {
    const value = request.header(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return {
    ...Object.fromEntries(sent),
    ...(secretId === undefined ? {} : { [`${family.prefix}${HEADER.token}`]: secretId }),
    [`${family.prefix}${HEADER.forwarded}`]: from,
    [REQUEST_ID_HEADER]: request.requestId,
  }
}

function waitMsOf({ options: { index, waitMs } }: ParsedRequest): number {
  return index > 0 ? waitMs * (1 + 1 / limits.WAIT_JITTER_DIVISOR) : 0
}
