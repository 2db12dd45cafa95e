/**
 * The path of a request: route, parse, admit, decode, handle, render. A blocking read that waited repeats admission and
 * handler, because the caller's rights may have changed.
 */
import { ANONYMOUS_TOKEN_SECRET_ID } from '@latchkey/acl'
import { AclError, type AnyRoute, limits, routeOf } from '@latchkey/contract'
import { indexOf, isCurrent, type Seen, SharedAnswers, Wait } from './blocking/blocking.ts'
import type { Admission } from './caller/admission.ts'
import { HANDLERS } from './generated/handlers.ts'
import type { AnyAnswer, AnyCall } from './handler.ts'
import { requireKey, requireKeyRight } from './kv/kv-entry.ts'
import type { ServiceOptions } from './options.ts'
import { renderAnswer } from './reply/render.ts'
import { type ReceivedBody, readBody, streamOf } from './request/body.ts'
import { DecodedBodies } from './request/decoded-bodies.ts'
import type { AnswerHeader, Forwarding, HeaderFamily } from './request/headers.ts'
import {
  credentialOf,
  DATACENTER_FAMILY,
  familiesOf,
  forwardingOf,
  headerFamilies,
} from './request/headers.ts'
import { type ParsedRequest, type ParseOptions, parse } from './request/parse.ts'
import { type BlockingQuery, paramsOf } from './request/read-options.ts'
import { RequestState } from './request/request-state.ts'
import { checkPathIds, requireParams, route } from './request/routing.ts'
import type { WireReply, WireRequest } from './request/wire.ts'
import { takeTurn } from './turns.ts'

export class Pipeline {
  private readonly options: ServiceOptions
  private readonly families: readonly HeaderFamily[]
  private readonly parseOptions: ParseOptions
  private readonly admission: Admission
  private readonly bodies: DecodedBodies
  private readonly sharedAnswers: SharedAnswers

  constructor(options: ServiceOptions, admission: Admission) {
    this.options = options
    this.families = headerFamilies(options.headerPrefixes)
    this.parseOptions = { ...options, families: this.families }
    this.admission = admission
    this.bodies = new DecodedBodies(options)
    this.sharedAnswers = new SharedAnswers(options)
  }

  /**
   * Whether this service refuses a request unless its secret is that of a token. False for the anonymous secret, which
   * every page knows, and for a request that another datacenter answers, because its ACLs may be off. Decisions: hosts.
   */
  dependsOnSecret(request: Pick<WireRequest, 'method' | 'url' | 'header'>): boolean {
    const { aclEnabled, datacenter } = this.options
    if (!aclEnabled) return false
    try {
      const routing = route(request.method, request.url, this.options)
      if (routing.kind !== 'route' || ignoresSecret(routeOf(routing.match.name))) return false
      const query = paramsOf(request.url)
      if (query.getAll('dc').some((each) => each !== '' && each !== datacenter)) return false
      const { secretId } = credentialOf(request, query, this.familiesFor(forwardingOf(request)))
      return secretId !== undefined && secretId !== ANONYMOUS_TOKEN_SECRET_ID
    } catch (error) {
      if (error instanceof AclError) return false
      throw error
    }
  }

  private familiesFor(forwarding: Forwarding | undefined): readonly HeaderFamily[] {
    return forwarding ? [DATACENTER_FAMILY] : this.families
  }

  /** The state of a request, before anything is known of it but its headers. */
  stateOf(request: WireRequest): RequestState {
    const forwarding = forwardingOf(request)
    const families = this.familiesFor(forwarding)
    const { statusCodes = 'family', translateAddresses, profile } = this.options
    const state = new RequestState(request, familiesOf(request, families), { forwarding, statusCodes })
    if (translateAddresses && profile.has('http.translateAddressesHeader'))
      state.setHeader('translateAddresses', 'true')
    return state
  }

  /**
   * Routes and parses a request.
   * @returns the reply, if the request line alone determines it.
   * @throws AclError if the request is for another service or malformed.
   */
  parse(request: WireRequest, state: RequestState): ParsedRequest | WireReply {
    const routing = route(request.method, request.url, this.options, request.match)
    if (routing.kind === 'options') return state.empty(200, { Allow: routing.allow })
    if (routing.kind === 'moved') return state.empty(301, { Location: routing.location })
    const { match } = routing
    state.endpoint = match.name
    state.params = match.params
    if (match.endpoint.acl && !this.options.aclEnabled)
      throw new AclError('acl_disabled', 'ACL support disabled')
    requireParams(match)
    return parse(request, match, state, this.parseOptions)
  }

  /** Admits, decodes, handles and renders. @throws AclError for every refusal. */
  answer(asked: ParsedRequest): WireReply | Promise<WireReply> {
    if (asked.options.index > 0) return this.answerAfterNews(asked)
    if (asked.route.body === undefined) return this.answerReceived(asked, undefined)
    const received = this.receive(asked)
    if (!(received instanceof Promise)) return this.answerReceived(asked, received)
    return received.then((later) => this.answerReceived(asked, later))
  }

  /** Like {@link answer}, for a request whose body was already read. */
  answerReceived(asked: ParsedRequest, received: ReceivedBody | undefined): WireReply | Promise<WireReply> {
    const seen = this.look(asked, received)
    if (!(seen instanceof Promise)) return renderSeen(seen, asked)
    return seen.then((later) => renderSeen(later, asked))
  }

  private async answerAfterNews(asked: ParsedRequest): Promise<WireReply> {
    const received = asked.route.body === undefined ? undefined : await this.receive(asked)
    const wait = new Wait(asked, this.options)
    for (;;) {
      const reply = await this.replyOf(wait, asked, received)
      if (reply) return reply
      asked.state.hasWaited = true
      await wait.news()
    }
  }

  /**
   * A separate function, so the call can be garbage-collected while thousands of requests wait (MEM-02).
   * @returns `undefined` if the client has to wait for news.
   */
  private async replyOf(
    wait: Wait,
    asked: ParsedRequest,
    received: ReceivedBody | undefined,
  ): Promise<WireReply | undefined> {
    // The shared reply was authorized at an earlier moment, and only the lease says whether it may still be used.
    const shared = this.admission.isFresh(asked) ? this.sharedAnswers.of(asked) : undefined
    if (shared && wait.endsWith(shared.seen)) return shared.reply
    const looking = this.look(asked, received)
    const seen = looking instanceof Promise ? await looking : looking
    if (wait.endsWith(seen)) {
      const reply = renderSeen(seen, asked)
      // An asynchronous answer may be older than the current state of the store.
      if (seen === looking) this.sharedAnswers.set(asked, { seen, reply })
      return reply
    }
    // If a later attempt is refused, the refusal carries this index.
    setIndex(seen, asked)
    return undefined
  }

  /**
   * Reads the body of a caller that may send one, synchronously if the caller is in memory and the body has arrived.
   * {@link look} admits the caller again, because rights may change while a slow body arrives.
   */
  private receive(asked: ParsedRequest): ReceivedBody | Promise<ReceivedBody> {
    const call = this.admission.admitBody(asked, requireRightToBody)
    if (!(call instanceof Promise)) return this.receiveFrom(call, asked)
    return call.then((admitted) => this.receiveFrom(admitted, asked))
  }

  private receiveFrom(
    call: AnyCall,
    { request, route }: ParsedRequest,
  ): ReceivedBody | Promise<ReceivedBody> {
    if (route.body === 'stream') return streamOf(request)
    if (call.refusal) return readShortBody({ request, route }, call.refusal)
    const body = readBody(request, route, call.caller)
    if (!(body instanceof Promise) && body.length <= limits.ANONYMOUS_BODY_BYTES_MAX) return body
    return inTurn(call, body)
  }

  /**
   * Authorizes, decodes and handles.
   *
   * If caller, rights and record of a read are all in memory, `peek` admits it and its handler answers it without an `await`
   * in between, so nothing can change between the two. Every other read is asynchronous, and a blocking read is then
   * re-authorized, because rights may have changed (COH-10).
   */
  private look(asked: ParsedRequest, received: ReceivedBody | undefined): Seen | Promise<Seen> {
    const call = this.admission.peek(asked)
    if (call) return this.lookBy(call, asked, received)
    return this.admission.admit(asked).then((admitted) => this.lookBy(admitted, asked, received))
  }

  private lookBy(
    admitted: AnyCall,
    asked: ParsedRequest,
    received: ReceivedBody | undefined,
  ): Seen | Promise<Seen> {
    const { refusal } = admitted
    return refusal
      ? refuseByName(refusal, () => this.handleBy(admitted, asked, received))
      : this.handleBy(admitted, asked, received)
  }

  private handleBy(
    admitted: AnyCall,
    asked: ParsedRequest,
    received: ReceivedBody | undefined,
  ): Seen | Promise<Seen> {
    checkPathIds(asked.route, asked.params)
    const call = received ? { ...admitted, body: this.bodies.of(asked.route, received) } : admitted
    const answer = callHandler(call)
    if (!(answer instanceof Promise)) return { call, answer }
    if (asked.route.blocking) return this.lookAgain(call, answer, asked)
    return answer.then((later) => ({ call, answer: later }))
  }

  private async lookAgain(first: AnyCall, handled: Promise<AnyAnswer>, asked: ParsedRequest): Promise<Seen> {
    let call = first
    let answering: AnyAnswer | Promise<AnyAnswer> = handled
    for (let attempt = 1; ; attempt += 1) {
      if (!(answering instanceof Promise)) return { call, answer: answering }
      const answer = await answering
      const now = await this.admission.readmit(asked, call)
      if (isCurrent(call, now, attempt)) return { call, answer }
      call = now
      answering = callHandler(call)
    }
  }
}

/**
 * Refuses a caller that may write nothing, with the right that it lacks by name, if the request names one.
 * @throws AclError `privilege_missing`, also for a request with another fault.
 */
async function refuseByName(refusal: AclError, handle: () => Seen | Promise<Seen>): Promise<never> {
  try {
    await handle()
  } catch (error) {
    if (!(error instanceof AclError) || error.code === 'privilege_missing') throw error
  }
  throw refusal
}

/**
 * Reads a body in which to find the name for a refusal, if it is as short as those of anonymous callers.
 * @throws AclError the refusal, also for a longer body.
 */
async function readShortBody(
  { request, route }: Pick<ParsedRequest, 'request' | 'route'>,
  refusal: AclError,
): Promise<Uint8Array> {
  try {
    return await readBody(request, route, { presented: false })
  } catch (error) {
    throw error instanceof AclError ? refusal : error
  }
}

/**
 * Checks the right to a key before the body is read. The path names the key, so a caller without the right cannot make the
 * service read a value.
 * @throws AclError `privilege_missing`, `id_missing`, `field_too_long`.
 */
function requireRightToBody(call: AnyCall): void {
  if (call.route.name === 'kv.write')
    requireKeyRight(call, requireKey({ Key: call.params.Key ?? '' }), 'write')
}

/** Whether any caller will do, or an unknown secret is treated like none. */
function ignoresSecret({ right, ignoresToken, local }: AnyRoute): boolean {
  return right === 'none' || ignoresToken === true || local === true
}

/** Waits for a body, and for a turn of its own if the body is long. */
async function inTurn(call: AnyCall, arriving: Uint8Array | Promise<Uint8Array>): Promise<Uint8Array> {
  const body = await arriving
  if (body.length <= limits.ANONYMOUS_BODY_BYTES_MAX) return body
  await takeTurn(call)
  return body
}

function setIndex(seen: Seen, { route, options, state }: ParsedRequest): void {
  if (route.blocking) state.setIndex(indexOf(seen, options.index))
}

const EFFECTIVE = { default: 'leader', consistent: 'consistent', stale: 'stale' } as const

/** Sets headers that describe a read. Anonymous callers do not learn that rows are hidden. Decisions: read headers. */
function setReadHeaders({ call, answer }: Seen, { route, query, state }: ParsedRequest): void {
  const { profile } = call.service
  if (route.saysConsistency && profile.has('http.effectiveConsistency'))
    state.setHeader('effectiveConsistency', EFFECTIVE[call.mode])
  if (route.saysCache && (query as BlockingQuery).cached) state.setCacheHeaders()
  if (answer.lacksRows && call.caller.presented && profile.has('http.resultsFiltered'))
    state.setHeader('resultsFiltered', 'true')
}

function renderSeen(seen: Seen, asked: ParsedRequest): WireReply {
  const { answer } = seen
  const { state } = asked
  setIndex(seen, asked)
  setReadHeaders(seen, asked)
  if (answer.nextCursor !== undefined) state.setHeader('nextCursor', answer.nextCursor)
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    // The type determines the keys.
    state.setHeader(name as AnswerHeader, value)
  }
  return renderAnswer(answer, state, asked.route)
}

function callHandler(call: AnyCall): AnyAnswer | Promise<AnyAnswer> {
  // Route and handler have the same name, which the compiler cannot follow through a variable.
  const handler = HANDLERS[call.route.name] as unknown as (call: AnyCall) => AnyAnswer | Promise<AnyAnswer>
  return handler(call)
}
