/**
 * The service as a function from a wire request to a wire reply. It routes, parses, authorizes, decodes, handles and renders.
 * A blocking read that waited repeats authorization and handler, because the caller's rights may have changed.
 */

import { checkWanted, Lane, TurnQueue } from '@latchkey/acl'
import { AclError, isOutage, limits, type RouteMatch } from '@latchkey/contract'
import { AlikeAnswers } from './blocking/alike-answers.ts'
import { indexOf, isCurrent, type Seen, Wait } from './blocking/blocking.ts'
import { Admission, type CallServices } from './caller/admission.ts'
import { Callers } from './caller/caller.ts'
import { RemoteTokens } from './caller/remote-tokens.ts'
import { RecordTexts } from './catalog/record-texts.ts'
import { askForToken } from './datacenters/ask-for-token.ts'
import type { ForwardingParts } from './datacenters/exchange.ts'
import { forward } from './datacenters/forward.ts'
import { mayBeForPrimary, writeInPrimary } from './datacenters/to-primary.ts'
import {
  isWithoutTokens,
  readInPrimary,
  readsIntentions,
  readsTokens,
  requireTokens,
} from './datacenters/without-tokens.ts'
import { KeptDecisions } from './decisions/kept-decisions.ts'
import { Names, type NamesOptions } from './dns/names.ts'
import type { AnyAnswer, AnyCall } from './handler.ts'
import { HANDLERS } from './handlers.ts'
import { KeptHealth } from './health/kept-answers.ts'
import { requireKey, requireKeyRight } from './kv/key.ts'
import { LoginRates } from './login/login-rates.ts'
import { isSecondary, type ServiceOptions } from './options.ts'
import { renderAnswer, renderError } from './reply/render.ts'
import { type ReceivedBody, readBody, streamOf } from './request/body.ts'
import { DecodedBodies } from './request/decoded-bodies.ts'
import {
  type AnswerHeader,
  DATACENTER_FAMILY,
  type Forwarding,
  familiesOf,
  forwardingOf,
  type HeaderFamily,
  headerFamilies,
} from './request/headers.ts'
import { type ParsedRequest, type ParseOptions, parse } from './request/parse.ts'
import { checkPathIds } from './request/path-ids.ts'
import { RequestState } from './request/request-state.ts'
import { requireParams, route } from './request/routing.ts'
import type { WireReply, WireRequest } from './request/wire.ts'
import { TokenBuckets } from './token-buckets.ts'
import { TokenTexts } from './tokens/token-json.ts'

export class Service {
  private readonly options: ServiceOptions
  private readonly families: readonly HeaderFamily[]
  private readonly parseOptions: ParseOptions
  private readonly forwarding: ForwardingParts
  private readonly admission: Admission
  private readonly bodies: DecodedBodies
  private readonly alike: AlikeAnswers

  constructor(options: ServiceOptions) {
    this.options = options
    this.families = headerFamilies(options.headerPrefixes)
    this.parseOptions = { ...options, families: this.families }
    const services = callServices(options)
    this.admission = new Admission(options, services)
    this.bodies = new DecodedBodies(options)
    this.alike = new AlikeAnswers(options)
    this.forwarding = { service: options, callers: services.callers, admission: this.admission }
  }

  /** Answers DNS questions, resolving callers as HTTP requests do. */
  names(options: NamesOptions): Names {
    return new Names(this.options, this.forwarding.callers, options)
  }

  /** Answers a request. Never rejects: a failure is also a reply. */
  async handle(request: WireRequest): Promise<WireReply> {
    return this.reply(request)
  }

  /** Like {@link handle}, but synchronous if everything that the answer needs is in memory. */
  reply(request: WireRequest): WireReply | Promise<WireReply> {
    const forwarding = forwardingOf(request)
    const state = this.stateOf(request, forwarding)
    try {
      const reply = this.answer(request, state, forwarding)
      if (!(reply instanceof Promise)) return this.asAsked(reply, state)
      return reply.then(
        (answered) => this.asAsked(answered, state),
        (error) => this.asAsked(this.failure(error, state), state),
      )
    } catch (error) {
      return this.asAsked(this.failure(error, state), state)
    }
  }

  private failure(error: unknown, state: RequestState): WireReply {
    const { requestId } = state.request
    if (!(error instanceof AclError)) this.options.onInternalError(error, requestId)
    else if (isOutage(error)) this.options.onUnavailable?.(error, requestId)
    return renderError(error, state)
  }

  private asAsked(reply: WireReply, state: RequestState): WireReply {
    return state.isFromSecondary ? this.withIndex(reply) : reply
  }

  private stateOf(request: WireRequest, forwarding?: Forwarding): RequestState {
    const families = forwarding ? [DATACENTER_FAMILY] : this.families
    const state = new RequestState(request, familiesOf(request, families))
    const { translateAddresses, profile } = this.options
    if (translateAddresses && profile.has('http.translateAddressesHeader'))
      state.setHeader('translateAddresses', 'true')
    return state
  }

  /** @throws AclError if the request is for another service or malformed. */
  private parse(
    request: WireRequest,
    match: RouteMatch,
    state: RequestState,
    forwarding?: Forwarding,
  ): ParsedRequest {
    state.endpoint = match.name
    if (match.endpoint.acl && !this.options.aclEnabled) {
      throw new AclError('acl_disabled', 'ACL support disabled')
    }
    requireParams(match)
    return parse(request, match, state, this.parseOptions, forwarding)
  }

  /** Adds the index that a secondary must have replicated before its client can see the write. */
  private withIndex(reply: WireReply): WireReply {
    const index = this.options.store.tableIndex('changes')
    return { ...reply, headers: { [DATACENTER_FAMILY.index]: String(index), ...reply.headers } }
  }

  /** @throws AclError for every refusal. */
  private answer(
    request: WireRequest,
    state: RequestState,
    forwarding: Forwarding | undefined,
  ): WireReply | Promise<WireReply> {
    const routing = route(request.method, request.url, this.options)
    if (routing.kind === 'options') return state.empty(200, { Allow: routing.allow })
    if (routing.kind === 'moved') return state.empty(301, { Location: routing.location })
    const asked = this.parse(request, routing.match, state, forwarding)
    if (asked.elsewhere !== undefined) return forward(asked, asked.elsewhere, this.forwarding)
    if (isWithoutTokens(this.options)) {
      requireTokens(asked)
      if (readsTokens(asked)) return readInPrimary(asked, this.forwarding)
    }
    // All rights of the caller are checked where the intentions are stored. Decisions: intentions.
    if (readsIntentions(asked) && isSecondary(this.options)) return readInPrimary(asked, this.forwarding)
    if (mayBeForPrimary(asked, this.options)) return this.writeThere(asked)
    if (asked.options.index > 0) return this.answerAfterNews(asked)
    if (asked.route.body === undefined) return this.answerHere(asked, undefined)
    const received = this.receive(asked)
    if (!(received instanceof Promise)) return this.answerHere(asked, received)
    return received.then((later) => this.answerHere(asked, later))
  }

  private async writeThere(asked: ParsedRequest): Promise<WireReply> {
    const there = await writeInPrimary(asked, this.forwarding)
    return 'reply' in there ? there.reply : this.answerHere(asked, there.received)
  }

  private answerHere(
    asked: ParsedRequest,
    received: ReceivedBody | undefined,
  ): WireReply | Promise<WireReply> {
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
      await wait.news()
    }
  }

  /**
   * A separate function, so the call can be garbage-collected while thousands of requests wait (MEM-02).
   *
   * @returns `undefined` if the client has to wait for news.
   */
  private async replyOf(
    wait: Wait,
    asked: ParsedRequest,
    received: ReceivedBody | undefined,
  ): Promise<WireReply | undefined> {
    // The shared reply was authorized at an earlier moment, and only the lease says whether it may still be used.
    const alike = this.admission.isFresh(asked) ? this.alike.of(asked) : undefined
    if (alike && wait.endsWith(alike.seen)) return alike.reply
    const looking = this.look(asked, received)
    const seen = looking instanceof Promise ? await looking : looking
    if (wait.endsWith(seen)) {
      const reply = renderSeen(seen, asked)
      // An asynchronous answer may be older than the current state of the store.
      if (seen === looking) this.alike.keep(asked, { seen, reply })
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
 *
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
 *
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
 *
 * @throws AclError `privilege_missing`, `id_missing`, `field_too_long`.
 */
function requireRightToBody(call: AnyCall): void {
  if (call.route.name === 'kv.write')
    requireKeyRight(call, requireKey({ Key: call.params.Key ?? '' }), 'write')
}

/** Waits for a body, and for a turn of its own if the body is long. */
async function inTurn(
  { turns, signal }: AnyCall,
  arriving: Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> {
  const body = await arriving
  if (body.length <= limits.ANONYMOUS_BODY_BYTES_MAX) return body
  await turns.next()
  checkWanted(signal)
  return body
}

function setIndex(seen: Seen, { route, options, state }: ParsedRequest): void {
  if (route.blocking) state.setIndex(indexOf(seen, options.index))
}

/** The values of the header `Effective-Consistency`. */
const EFFECTIVE = { default: 'leader', consistent: 'consistent', stale: 'stale' } as const

/** Sets headers that describe a read. Anonymous callers do not learn that rows are hidden. Decisions: read headers. */
function setReadHeaders({ call, answer }: Seen, { route, state }: ParsedRequest): void {
  const { profile } = call.service
  if (route.saysConsistency && profile.has('http.effectiveConsistency'))
    state.setHeader('effectiveConsistency', EFFECTIVE[call.mode])
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

/**
 * Concurrent jobs that parse a long rule text or compute digests. A text may take half a megabyte, and its parse tree more.
 */
const LANE_WIDTH = 1
/** Concurrent scans over tokens. Each holds pages of tokens and queries the database for more. */
const WALKS_AT_ONCE_MAX = 2
/** Concurrent conversions of long values to text. Each takes up to a megabyte, plus its input. */
const TEXTS_AT_ONCE_MAX = 2

/** What all calls of a service share. */
function callServices(options: ServiceOptions): CallServices {
  const turns = options.turns ?? new TurnQueue()
  return {
    callers: new Callers(options, turns, remoteTokens(options)),
    texts: new TokenTexts(options),
    records: new RecordTexts(options),
    keptHealth: new KeptHealth(),
    keptDecisions: new KeptDecisions(),
    turns,
    lane: new Lane(LANE_WIDTH),
    writeLane: new Lane(LANE_WIDTH),
    walkLane: new Lane(WALKS_AT_ONCE_MAX),
    digestLane: new Lane(LANE_WIDTH),
    textLane: new Lane(TEXTS_AT_ONCE_MAX, Number.POSITIVE_INFINITY),
    loginRates: new LoginRates(
      options.identity.loginsPerSecond,
      options.identity.limits ?? new TokenBuckets(() => options.clock.now()),
    ),
  }
}

function remoteTokens(options: ServiceOptions): RemoteTokens | undefined {
  const { tokensOfPrimary, clock } = options
  return tokensOfPrimary && new RemoteTokens({ ...tokensOfPrimary, clock, ask: askForToken(options) })
}
