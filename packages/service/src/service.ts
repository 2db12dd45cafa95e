/**
 * The service as a function from a wire request to a wire reply. Forwarding wraps the pipeline: what another datacenter
 * answers is sent there after parsing, and this one answers everything else.
 */
import { recordViewOf } from '@latchkey/catalog'
import { AclError, isOutage } from '@latchkey/contract'
import { Admission } from './caller/admission.ts'
import { Callers } from './caller/caller.ts'
import { RemoteTokens } from './caller/remote-tokens.ts'
import { askForToken } from './datacenters/ask-for-token.ts'
import type { ForwardingParts } from './datacenters/exchange.ts'
import { answerElsewhere } from './datacenters/forward.ts'
import { DecisionCache } from './decisions/decision-cache.ts'
import { Names, type NamesOptions } from './dns/names.ts'
import type { CallServices } from './handler.ts'
import { HealthCache } from './health/health-cache.ts'
import { FairQueue } from './limits/fair-queue.ts'
import { Semaphore } from './limits/semaphore.ts'
import { TokenBuckets } from './limits/token-buckets.ts'
import { LoginLimits } from './login/login-limits.ts'
import type { ServiceOptions } from './options.ts'
import { Pipeline } from './pipeline.ts'
import { renderError } from './reply/render.ts'
import { DATACENTER_FAMILY } from './request/headers.ts'
import type { RequestState } from './request/request-state.ts'
import type { WireReply, WireRequest } from './request/wire.ts'
import { TokenTexts } from './tokens/token-json.ts'

export class Service {
  private readonly options: ServiceOptions
  private readonly pipeline: Pipeline
  private readonly forwarding: ForwardingParts

  constructor(options: ServiceOptions) {
    const services = callServices(options)
    const admission = new Admission(options, services)
    this.options = options
    this.pipeline = new Pipeline(options, admission)
    this.forwarding = {
      service: options,
      callers: services.callers,
      admission,
      answerHere: (asked, received) => this.pipeline.answerReceived(asked, received),
    }
  }

  /** See {@link Pipeline.dependsOnSecret}. */
  dependsOnSecret(request: Pick<WireRequest, 'method' | 'url' | 'header'>): boolean {
    return this.pipeline.dependsOnSecret(request)
  }

  names(options: NamesOptions): Names {
    return new Names(this.options, this.forwarding.callers, options)
  }

  /** Answers a request. Never rejects: a failure is also a reply. */
  async handle(request: WireRequest): Promise<WireReply> {
    return this.reply(request)
  }

  /** Like {@link handle}, but synchronous if everything that the answer needs is in memory. */
  reply(request: WireRequest): WireReply | Promise<WireReply> {
    const state = this.pipeline.stateOf(request)
    try {
      const reply = this.answer(request, state)
      if (!(reply instanceof Promise)) return this.withIndex(reply, state)
      return reply.then(
        (answered) => this.withIndex(answered, state),
        (error) => this.withIndex(this.failure(error, state), state),
      )
    } catch (error) {
      return this.withIndex(this.failure(error, state), state)
    }
  }

  private answer(request: WireRequest, state: RequestState): WireReply | Promise<WireReply> {
    const asked = this.pipeline.parse(request, state)
    if ('status' in asked) return asked
    return answerElsewhere(asked, this.forwarding) ?? this.pipeline.answer(asked)
  }

  private failure(error: unknown, state: RequestState): WireReply {
    const { requestId } = state.request
    if (!(error instanceof AclError)) this.options.onInternalError(error, requestId)
    else if (isOutage(error)) this.options.onUnavailable?.(error, requestId)
    return renderError(error, state)
  }

  /** Adds, to the reply to a secondary, the index that it must have replicated before its client can see the write. */
  private withIndex(reply: WireReply, { isFromSecondary }: RequestState): WireReply {
    if (!isFromSecondary) return reply
    const index = this.options.store.tableIndex('changes')
    return { ...reply, headers: { [DATACENTER_FAMILY.index]: String(index), ...reply.headers } }
  }
}

/** Concurrent scans over tokens. Each holds pages of tokens and queries the database for more. */
const WALKS_AT_ONCE_MAX = 2
/** Concurrent conversions of long values to text. Each takes up to a megabyte, plus its input. */
const TEXTS_AT_ONCE_MAX = 2

function callServices(options: ServiceOptions): CallServices {
  const turns = options.turns ?? new FairQueue()
  return {
    callers: new Callers(options, turns, remoteTokens(options)),
    texts: new TokenTexts(options),
    view: recordViewOf(options.profile, options),
    healthCache: new HealthCache(),
    decisionCache: new DecisionCache(),
    turns,
    walks: new Semaphore(WALKS_AT_ONCE_MAX),
    longTexts: new Semaphore(TEXTS_AT_ONCE_MAX, { waitingMax: Number.POSITIVE_INFINITY }),
    loginLimits: new LoginLimits(
      options.identity.loginsPerSecond,
      options.identity.limits ?? new TokenBuckets(() => options.clock.now()),
    ),
  }
}

function remoteTokens(options: ServiceOptions): RemoteTokens | undefined {
  const { tokensOfPrimary, clock } = options
  return tokensOfPrimary && new RemoteTokens({ ...tokensOfPrimary, clock, ask: askForToken(options) })
}
