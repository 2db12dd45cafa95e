/**
 * Requests to URLs that callers choose: identity providers (`acl:write`) and HTTP checks (`service:write`). The rules
 * keep them from reaching anything else: addresses are checked after resolution and the connection goes to a checked
 * address, redirects and proxies are not followed, and time and size are limited.
 */
import { lookup as resolve } from 'node:dns'
import { type IncomingMessage, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import {
  type AddressClass,
  classOfAddress,
  hostOf,
  isAddressAllowed,
  isNameAllowed,
} from './address-rules.ts'
import { headOf } from './exchange.ts'

const WITHOUT_LOOPBACK: readonly AddressClass[] = ['private', 'public']
const WITH_LOOPBACK: readonly AddressClass[] = ['loopback', ...WITHOUT_LOOPBACK]

/** Default of {@link OutgoingOptions.msMax}. */
const OUTGOING_MS_MAX = 5_000

/** Everything that a caller learns about a failure: never an address, a status, a header or a body. */
export type OutgoingFailure =
  | 'URL not allowed'
  | 'address not allowed'
  | 'cannot resolve'
  | 'connection refused or timed out'
  | 'TLS'
  | 'status not 200'
  | 'answer too long'
  | 'not a key set'
  | 'not a discovery document'
  | 'issuer is not the URL'
  | 'not a review'

/** A request failed, or its answer is unusable. */
export class OutgoingError extends Error {
  override readonly name = 'OutgoingError'
  readonly failure: OutgoingFailure
  /** The status of the answer, if there was one. For the log, and for protocols that give it a meaning. */
  readonly status: number | undefined

  constructor(
    failure: OutgoingFailure,
    details: { readonly cause?: unknown; readonly status?: number } = {},
  ) {
    super(failure, details.cause === undefined ? undefined : { cause: details.cause })
    this.failure = failure
    this.status = details.status
  }
}

export interface OutgoingOptions {
  /** Whether plain HTTP and loopback addresses are allowed, for development. */
  readonly allowHttp: boolean
  /** The only hosts that requests may be sent to, in lower case. Empty or absent: any host. */
  readonly hosts?: readonly string[] | undefined
  /** Whether only public addresses are allowed: no loopback and no private ones. */
  readonly publicOnly?: boolean
  readonly resolve?: typeof resolve | undefined
  /** Time for one request, from resolving the name to the last byte. Default {@link OUTGOING_MS_MAX}. */
  readonly msMax?: number
}

interface OutgoingRequest {
  readonly url: string
  /** Default `GET`, or `POST` if there is a body. */
  readonly method?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
  /** PEM certificates to trust instead of the system's. */
  readonly ca?: string | undefined
  /** Whether any certificate is accepted. */
  readonly skipsVerify?: boolean
  /** Maximum length of an answer; a longer one is refused. */
  readonly bytesMax: number
  /** How many of the last bytes of an answer to keep. Default: all. */
  readonly bytesKept?: number
  /** Time for this request. Default: the limit of the options. */
  readonly msMax?: number
  /** The only class of address to connect to, as of a redirect. Default: all that the options allow. */
  readonly addressClass?: AddressClass
  readonly signal?: AbortSignal
}

export interface OutgoingAnswer {
  readonly status: number
  /** The class of the address that answered. */
  readonly addressClass: AddressClass | undefined
  readonly headers: IncomingMessage['headers']
  readonly body: Uint8Array
}

export class Outgoing {
  private readonly allowHttp: boolean
  private readonly classes: readonly AddressClass[]
  private readonly hosts: ReadonlySet<string> | undefined
  private readonly resolve: typeof resolve
  private readonly msMax: number

  constructor(options: OutgoingOptions) {
    this.allowHttp = options.allowHttp
    const withPrivate: readonly AddressClass[] = options.allowHttp ? WITH_LOOPBACK : WITHOUT_LOOPBACK
    this.classes = options.publicOnly ? ['public'] : withPrivate
    this.hosts = options.hosts?.length ? new Set(options.hosts) : undefined
    this.resolve = options.resolve ?? resolve
    this.msMax = options.msMax ?? OUTGOING_MS_MAX
  }

  /** Reads a URL that answers 200. @throws OutgoingError */
  async read(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const answer = await this.send(request)
    if (answer.status !== 200) throw new OutgoingError('status not 200', { status: answer.status })
    return answer
  }

  /** Sends a request, and reads an answer of any status. @throws OutgoingError */
  async send(request: OutgoingRequest): Promise<OutgoingAnswer> {
    const { addressClass } = request
    const classes = addressClass ? this.classes.filter((each) => each === addressClass) : this.classes
    const url = this.checkUrl(request.url, classes)
    try {
      return await this.exchange(url, request, classes)
    } catch (error) {
      throw error instanceof OutgoingError ? error : new OutgoingError(failureOf(error), { cause: error })
    }
  }

  /** Checks a URL against the rules that need no name resolution. @throws OutgoingError */
  checkUrl(text: string, classes = this.classes): URL {
    const url = URL.parse(text)
    if (url?.username !== '' || url.password !== '' || text.includes('#')) {
      throw new OutgoingError('URL not allowed')
    }
    if (url.protocol !== 'https:' && !(this.allowHttp && url.protocol === 'http:')) {
      throw new OutgoingError('URL not allowed')
    }
    const host = hostOf(url)
    if (this.hosts && !this.hosts.has(host)) throw new OutgoingError('URL not allowed')
    checkHost(host, classes)
    return url
  }

  /** Options of a connection of another protocol. @throws OutgoingError */
  connectionTo(host: string): { readonly host: string; readonly lookup: LookupFunction } {
    if (this.hosts && !this.hosts.has(host.toLowerCase())) throw new OutgoingError('address not allowed')
    checkHost(host, this.classes)
    return { host, lookup: this.lookupWithin(this.classes) }
  }

  private async exchange(
    url: URL,
    request: OutgoingRequest,
    classes: readonly AddressClass[],
  ): Promise<OutgoingAnswer> {
    const { body, ca, skipsVerify = false, msMax = this.msMax, signal } = request
    signal?.throwIfAborted()
    const method = request.method ?? (body === undefined ? 'GET' : 'POST')
    const send = url.protocol === 'https:' ? requestHttps : requestHttp
    const outgoing = send(url, {
      method,
      headers: { Accept: 'application/json', ...mutable(request.headers) },
      // Keeps no connection open, and ignores proxies from the environment.
      agent: false,
      lookup: this.lookupWithin(classes),
      ...(ca === undefined ? {} : { ca }),
      rejectUnauthorized: !skipsVerify,
      // Node would take the name from the Host header, which the caller may have set.
      servername: isIP(hostOf(url)) === 0 ? hostOf(url) : '',
    })
    const head = headOf(outgoing)
    outgoing.end(body)
    // The deadline rejects by itself: a request whose connection is gone reports no further error.
    const ended = Promise.withResolvers<never>()
    const onAbort = () => ended.reject(signal?.reason)
    const timer = setTimeout(() => ended.reject(new DOMException('no answer in time', 'TimeoutError')), msMax)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([head.then((answer) => readAnswer(answer, request)), ended.promise])
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
      outgoing.destroy()
    }
  }

  /** Resolves a name once, and refuses it unless all of its addresses are allowed. */
  private lookupWithin(classes: readonly AddressClass[]): LookupFunction {
    return (host, options, done) => {
      this.resolve(host, { ...options, all: true }, (error, addresses) => {
        if (error) return done(error, '')
        const isAllowed = addresses.every(({ address }) => isAddressAllowed(address, classes))
        const [first] = addresses
        if (!isAllowed || !first) return done(new OutgoingError('address not allowed'), '')
        if (options.all) done(null, addresses)
        else done(null, first.address, first.family)
      })
    }
  }
}

function checkHost(host: string, classes: readonly AddressClass[]): void {
  if (isIP(host) === 0 ? isNameAllowed(host) : isAddressAllowed(host, classes)) return
  throw new OutgoingError('address not allowed')
}

/** @throws OutgoingError `answer too long`. */
async function readAnswer(
  answer: IncomingMessage,
  { bytesMax, bytesKept = bytesMax }: OutgoingRequest,
): Promise<OutgoingAnswer> {
  const addressClass = classOfAddress(answer.socket.remoteAddress ?? '')
  const chunks: Buffer[] = []
  let length = 0
  let kept = 0
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    length += chunk.length
    kept += chunk.length
    chunks.push(chunk)
    while (kept - (chunks[0]?.length ?? 0) >= bytesKept) kept -= chunks.shift()?.length ?? 0
    if (length > bytesMax) throw new OutgoingError('answer too long')
  }
  return {
    status: answer.statusCode ?? 0,
    addressClass,
    headers: answer.headers,
    body: Buffer.concat(chunks, kept).subarray(-bytesKept),
  }
}

/** Node's types require mutable lists. */
function mutable(headers: OutgoingRequest['headers'] = {}): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )
}

const RESOLUTION_CODES: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'ENODATA'])

function failureOf(error: unknown): OutgoingFailure {
  const { code, message = '' } = error as { readonly code?: unknown; readonly message?: string }
  if (RESOLUTION_CODES.has(code)) return 'cannot resolve'
  const text = `${String(code)} ${message}`
  return /CERT|TLS|SSL|EPROTO|SELF_SIGNED|UNABLE_TO/.test(text) ? 'TLS' : 'connection refused or timed out'
}
