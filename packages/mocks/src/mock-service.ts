/** Latchkey without a server: the rules of the service behind MSW handlers, with controls for tests. */
import {
  AclError,
  type Dialect,
  decodePath,
  dialectOf,
  type EndpointName,
  isClientRequestId,
  matchPath,
  REQUEST_ID_HEADER,
  sleep,
  unbuiltEndpointOf,
} from '@latchkey/contract'
import {
  familiesOf,
  headerFamilies,
  type MemorySnapshot,
  type WireReply,
  type WireRequest,
} from '@latchkey/service'
import { HttpHandler } from 'msw'
import { type Failure, Faults, NoAnswer, refuse } from './faults.ts'
import type { Credential } from './identity-provider.ts'
import { type Duration, toMs } from './mock-clock.ts'
import { type Latency, latencyMs, type MockServiceOptions, readOptions, type Settings } from './options.ts'
import { FEED, type Feed } from './state/feed.ts'
import { ServiceState } from './state/service-state.ts'

/**
 * @param url path and query below the base URL.
 */
function toWireRequest(request: Request, url: string, requestId: string): WireRequest {
  return {
    method: request.method,
    url,
    header: (name) => request.headers.get(name) ?? undefined,
    readBody: (bytesMax) => readBody(request, bytesMax),
    signal: request.signal,
    requestId,
  }
}

async function readBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  if (bytes.length <= bytesMax) return bytes
  throw new AclError('body_too_large', `The body is larger than ${bytesMax} bytes`, {
    headers: { Connection: 'close' },
  })
}

/** @param method of the request, because the response to HEAD has no body. */
function toResponse(reply: WireReply, method: string): Response {
  const { body, status, headers } = reply
  if (body === undefined || method === 'HEAD') return new Response(null, { status, headers })
  if (typeof body === 'string') return new Response(body, { status, headers })
  // Checks for members instead of the class, because test environments mix arrays from two realms.
  if (Symbol.asyncIterator in body) return new Response(toStream(body), { status, headers })
  return new Response(new Uint8Array(body), { status, headers })
}

/** Like `ReadableStream.from`, which some browsers lack. */
function toStream(pieces: AsyncIterable<Uint8Array | string>): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]()
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(typeof value === 'string' ? encoder.encode(value) : value)
    },
    async cancel() {
      await iterator.return?.()
    },
  })
}

/** Path and query of a request below the base URL, as a server would see them; `undefined` if the URL is not below it. */
function belowBase(url: string, base: URL): string | undefined {
  const { origin, pathname, search } = new URL(url)
  if (origin !== base.origin) return undefined
  const start = base.pathname === '/' ? '' : base.pathname
  if (!pathname.startsWith(`${start}/`) && pathname !== start) return undefined
  return `${pathname.slice(start.length) || '/'}${search}`
}

interface Asked {
  /** `undefined` if no endpoint has this path and method. */
  readonly endpoint: EndpointName | undefined
  /** The path template; `undefined` if no version of the service has it. */
  readonly template: string | undefined
}

/**
 * The endpoint of a request according to the contract, in any version, before any checks.
 *
 * @param url path and query below the base URL.
 */
function askedOf(method: string, url: string): Asked {
  const path = pathBelowVersion(url)
  const match = path === undefined ? undefined : matchPath(path)
  const routes = [...(match?.form.byMethod.values() ?? [])]
  const left = path === undefined ? undefined : unbuiltEndpointOf(path)
  const template = routes[0]?.endpoint.path ?? left?.path
  return {
    endpoint: routes.find(({ endpoint }) => endpoint.method === method)?.name,
    template: template === undefined ? undefined : `${VERSION_PREFIX}${template}`,
  }
}

const VERSION_PREFIX = '/v1'

/** `undefined` if the path is not below `/v1/` or cannot be decoded. */
function pathBelowVersion(url: string): string | undefined {
  const [raw = ''] = url.split('?', 1)
  try {
    const path = decodePath(raw)
    return path.startsWith(`${VERSION_PREFIX}/`) ? path.slice(VERSION_PREFIX.length) : undefined
  } catch {
    return undefined
  }
}

export interface MockCall {
  /** Such as `tokens.create`; `undefined` if no endpoint has this path and method. */
  readonly endpoint: EndpointName | undefined
  readonly method: string
  /** The path template; `undefined` if no version of the service has the path. */
  readonly path: string | undefined
  /** 0 if the client got no answer. */
  readonly status: number
  /** Accessor of the caller's token; `undefined` if the caller is unknown or presented no token. */
  readonly accessorId: string | undefined
}

class CallLog {
  private calls: MockCall[] = []

  add(call: MockCall): void {
    this.calls.push(call)
  }

  /** A copy, in the order of the replies. */
  list(): readonly MockCall[] {
    return [...this.calls]
  }

  clear(): void {
    this.calls = []
  }
}

/** The whole state of a mock service, to be restored later. */
export type MockSnapshot = MemorySnapshot

export interface MockService {
  /** For `setupServer` and `setupWorker`. */
  readonly handlers: readonly HttpHandler[]
  /** The service as a function, for clients that accept a `fetch`. It mocks no network and needs no worker. */
  readonly fetch: (input: string | URL | Request, init?: RequestInit) => Promise<Response>
  /** Without a trailing slash. */
  readonly baseUrl: string
  /** The secret of the management token; empty if the options disable it. */
  readonly managementToken: string
  readonly clock: {
    /** Milliseconds since the epoch. */
    now(): number
    /** Moves time forward: tokens expire, and blocking queries time out. */
    advance(by: Duration): void
  }
  /**
   * Makes the next calls to an endpoint fail.
   *
   * @param times how many calls; default 1.
   */
  failNext(endpoint: EndpointName, failure: Failure, times?: number): void
  /** Sets the delay of later replies. */
  latency(latency: Latency): void
  /** The identity provider that auth methods trust, whatever keys they have. */
  readonly identityProvider: {
    /**
     * Creates a credential for a login. It is not signed, and the mocks check no signature. They check issuer, audience and
     * times: the credential is issued now and valid for an hour, and needs `iss` and `aud` if the method binds them. For a
     * method of type kubernetes, the claims are `namespace`, `name` and `uid`.
     */
    issue(credential?: Credential): string
    /**
     * Signs a person in at the URL of a login through a browser, in the extended edition.
     *
     * @param authUrl the URL from `oidc.authUrl`, or to which `beginLogin` navigated.
     * @returns the next URL of the browser: the redirect URI with code and state, for `completeLogin`.
     * @throws TypeError for any other URL.
     */
    signIn(authUrl: string, credential?: Credential): string
    /**
     * Sends the person back without a code.
     *
     * @param error the error of the provider. Default: `access_denied`.
     * @returns the redirect URI with the error.
     */
    decline(authUrl: string, error?: string): string
  }
  /** How a secondary datacenter follows its primary. Has no effect on a service that is not a secondary. */
  readonly replication: {
    /** Follows the primary again from the next request on, after {@link fail}, {@link pause} and {@link lag}. */
    resume(): void
    /** Stops following: the stored records stay, and the status is `paused`. */
    pause(): void
    /** Makes every request to the primary fail, with this message in the status. */
    fail(message: string): void
    /** Delays changes of the primary by this duration, by the clock of the secondary. */
    lag(by: Duration): void
  }
  /** All stored records, as a value. */
  snapshot(): MockSnapshot
  /** Restores a snapshot. Indexes keep increasing, so waiting blocking queries see a change. */
  restore(snapshot: MockSnapshot): void
  /** The calls so far, in the order of the replies, without secrets. */
  readonly calls: readonly MockCall[]
  /** Resets seed, time and latency, and drops recorded calls and planned failures. */
  reset(): void
  /** Resolves once this many blocking queries wait at the same time. Default 1. */
  untilWaiting(count?: number): Promise<void>
}

/**
 * Creates a mock service with its own state.
 *
 * @throws TypeError for an invalid option, or if a record of the seed breaks a rule.
 */
export function createMockService(options: MockServiceOptions = {}): MockService {
  return new LatchkeyMock(readOptions(options))
}

class LatchkeyMock implements MockService {
  readonly handlers: readonly HttpHandler[]
  readonly fetch: MockService['fetch']
  readonly clock: MockService['clock']
  readonly identityProvider: MockService['identityProvider']
  readonly replication: MockService['replication']
  readonly baseUrl: string
  readonly managementToken: string
  readonly [FEED]: Feed
  private readonly settings: Settings
  private readonly state: ServiceState
  private readonly faults = new Faults()
  private readonly log = new CallLog()
  private currentLatency: Latency
  private requestCount = 0

  constructor(settings: Settings) {
    this.settings = settings
    this.state = new ServiceState(settings)
    this.currentLatency = settings.latency
    latencyMs(settings.latency, undefined)
    this.baseUrl = settings.baseUrl.href.replace(/\/$/, '')
    this.managementToken = settings.managementToken || ''
    const { clock, identityProvider } = this.state
    this.identityProvider = {
      issue: (credential) => identityProvider.issue(credential, clock.now()),
      signIn: (authUrl, credential) => identityProvider.signIn(authUrl, credential),
      decline: (authUrl, error) => identityProvider.decline(authUrl, error),
    }
    this.replication = replicationControls(this.state)
    this[FEED] = this.state.feed
    this.clock = { now: () => clock.now(), advance: (by) => clock.advance(by) }
    this.handlers = [
      new ServiceHandler(
        (url) => belowBase(url, settings.baseUrl) !== undefined,
        (request) => this.answer(request).catch(asErrorResponse),
      ),
    ]
    this.fetch = async (input, init) => {
      const request = new Request(input, init)
      request.signal.throwIfAborted()
      return unlessAborted(this.answer(request), request.signal)
    }
  }

  get calls(): readonly MockCall[] {
    return this.log.list()
  }

  failNext(endpoint: EndpointName, failure: Failure, times = 1): void {
    this.faults.plan(endpoint, failure, times)
  }

  latency(latency: Latency): void {
    latencyMs(latency, undefined)
    this.currentLatency = latency
  }

  snapshot(): MockSnapshot {
    return this.state.snapshot()
  }

  restore(snapshot: MockSnapshot): void {
    this.state.restore(snapshot)
  }

  reset(): void {
    this.faults.clear()
    this.log.clear()
    this.currentLatency = this.settings.latency
    this.state.reset()
  }

  untilWaiting(count = 1): Promise<void> {
    return this.state.blocked.untilWaiting(count)
  }

  /** @throws NoAnswer for a planned failure without a reply. */
  private async answer(request: Request): Promise<Response> {
    const { method, signal } = request
    const url = belowBase(request.url, this.settings.baseUrl)
    if (url === undefined) throw new TypeError(`${request.method} went past the base URL ${this.baseUrl}`)
    const asked = askedOf(method, url)
    const delayMs = latencyMs(this.currentLatency, asked.endpoint)
    // When the client disconnects, the call still happens, at once.
    if (delayMs > 0) await sleep(delayMs, signal).catch(() => {})
    const reply = await this.reply(request, url, asked)
    const seen = reply instanceof NoAnswer ? undefined : reply
    this.log.add({
      endpoint: asked.endpoint,
      method,
      path: asked.template,
      status: signal.aborted ? 0 : (seen?.status ?? 0),
      accessorId: seen?.accessorId,
    })
    if (reply instanceof NoAnswer) throw reply
    return toResponse(reply, method)
  }

  private dialectOf(wire: WireRequest): Dialect {
    const [family] = familiesOf(wire, headerFamilies(this.settings.headerPrefixes))
    return dialectOf(family?.prefix ?? '', this.settings.statusCodes)
  }

  private async reply(request: Request, url: string, asked: Asked): Promise<WireReply | NoAnswer> {
    const wire = toWireRequest(request, url, this.requestIdOf(request))
    const failure = this.faults.take(asked.endpoint)
    if (failure === 'network') return new NoAnswer(failure)
    if (asked.endpoint !== undefined && failure !== undefined && failure !== 'lost') {
      return refuse(failure, wire, asked.endpoint, this.dialectOf(wire))
    }
    const reply = await this.state.handle(wire)
    if (failure === 'lost') return new NoAnswer(failure)
    const isMistake = isUnknown(reply) && asked.template === undefined
    return isMistake && this.settings.unknownEndpoints === 'fail' ? complain(request.method, url) : reply
  }

  private requestIdOf(request: Request): string {
    const given = request.headers.get(REQUEST_ID_HEADER)
    if (given !== null && isClientRequestId(given)) return given
    this.requestCount += 1
    return `mock-${this.requestCount}`
  }
}

/** MSW turns such a response into a rejection. */
function asErrorResponse(error: unknown): Response {
  if (error instanceof NoAnswer) return Response.error()
  throw error
}

function replicationControls({ follower }: ServiceState): MockService['replication'] {
  return {
    resume: () => follower?.set({ isPaused: false, failure: undefined, lagMs: 0 }),
    pause: () => follower?.set({ isPaused: true }),
    fail: (message) => follower?.set({ failure: message }),
    lag: (by) => follower?.set({ lagMs: toMs(by) }),
  }
}

function isUnknown({ error }: WireReply): boolean {
  return error instanceof AclError && error.code === 'endpoint_unknown'
}

/** A request that no version supports is a mistake in the test or in the code under test. */
function complain(method: string, url: string): WireReply {
  const [path] = url.split('?', 1)
  const message =
    `[latchkey mocks] unhandled request: ${method} ${path}. No version of the service has this path. ` +
    "Correct the path, or create the mock service with unknownEndpoints: 'answer' for a 404 as the service gives."
  console.error(message)
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  return { status: 500, headers, body: message, endpoint: undefined, accessorId: undefined }
}

async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  let stopListening = () => {}
  const aborted = new Promise<never>((_, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
    stopListening = () => signal.removeEventListener('abort', abort)
  })
  return Promise.race([answer, aborted]).finally(stopListening)
}

const ANY_METHOD = /^/

class ServiceHandler extends HttpHandler {
  constructor(isOurs: (url: string) => boolean, answer: (request: Request) => Promise<Response>) {
    super(
      ANY_METHOD,
      ({ request }) => isOurs(request.url),
      async ({ request }) => preflightOf(request) ?? readable(await answer(request)),
    )
  }

  /** Disabled: MSW would print whole requests to the browser console, and their headers contain secrets. */
  override async log(): Promise<void> {}
}

/**
 * The answer to a preflight. Test environments such as happy-dom play a page of another origin, and send one before each
 * request, although the service itself answers no other origins.
 *
 * @returns `undefined` if the request is no preflight. Those of happy-dom are not: its headers lose what marks them.
 */
function preflightOf({ method, headers }: Request): Response | undefined {
  const wanted = headers.get('Access-Control-Request-Method')
  if (method !== 'OPTIONS' || wanted === null) return undefined
  return new Response(null, {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Methods': wanted,
      'Access-Control-Allow-Headers': headers.get('Access-Control-Request-Headers') ?? '*',
    },
  })
}

/** Lets a page of another origin read an answer and its headers. */
function readable(response: Response): Response {
  // The network failure of a planned fault has headers that cannot change.
  if (response.type === 'error') return response
  const names = [...response.headers.keys()].join(', ')
  response.headers.set('Access-Control-Allow-Origin', '*')
  response.headers.set('Access-Control-Expose-Headers', names)
  return response
}
