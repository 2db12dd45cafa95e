/** `/v1` on plain Node requests, without Express. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AclError } from '@latchkey/contract'
import { renderError, type Service, type WireReply, type WireRequest } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { AccessLog } from '../access-log.ts'
import { requestIdOf } from '../request-id.ts'
import { BodyBudget } from './body-budget.ts'
import { ClientSignals } from './client-signals.ts'
import { EndOfTurn } from './end-of-turn.ts'
import type { UnreadAnswers } from './unread-answers.ts'
import { NodeWireRequest, writeReply } from './wire-adapter.ts'

export interface ApiListenerOptions {
  readonly service: Pick<Service, 'handle'>
  readonly log: Logger
  readonly metrics: Metrics
  /** Writes a line per answer. */
  readonly accessLog: AccessLog | undefined
  /** What clients have not read; shared with what makes long answers. */
  readonly unread: UnreadAnswers
  /** Aborted when the server ends all waits. */
  readonly closing: AbortSignal
}

export interface ApiListener {
  answer(request: IncomingMessage, response: ServerResponse): void
  /** Answers a request that never reaches the API, in the same form. */
  refuse(request: IncomingMessage, response: ServerResponse, error: AclError): void
}

/** The only entry to the API, for Express and for the lane in front of it. */
export function createApiListener(options: ApiListenerOptions): ApiListener {
  const { service, log, metrics, accessLog, unread } = options
  const signals = new ClientSignals(options.closing)
  const endOfTurn = new EndOfTurn()
  const bodies = { writes: new BodyBudget(), questions: new BodyBudget() }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    replyTo: (wire: WireRequest) => WireReply | Promise<WireReply>,
  ): Promise<void> {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const signal = mayWait(request.url) ? signals.signalOf(response) : undefined
    const budget = request.method === 'POST' ? bodies.questions : bodies.writes
    const wire = new NodeWireRequest(request, response, { requestId, signal, bodies: budget })
    try {
      const reply = await replyTo(wire)
      wire.done()
      await endOfTurn.reached()
      await writeReply(reply, response, unread)
      const ms = performance.now() - startedAt
      metrics.request(reply.endpoint ?? 'none', reply.status, ms / 1_000)
      accessLog?.answered({
        reply,
        requestId,
        method: wire.method,
        url: wire.url,
        ms,
        address: request.socket.remoteAddress,
        agent: request.headers['user-agent'],
      })
    } catch (error) {
      log.error({ err: error, id: requestId }, 'an answer could not be written')
      response.destroy()
    }
  }

  const handle = (wire: WireRequest) => service.handle(wire)
  return {
    answer: (request, response) => void answer(request, response, handle),
    refuse: (request, response, error) =>
      void answer(request, response, (wire) => renderError(error, { request: wire, ...NOTHING_KNOWN })),
  }
}

/** For a request that was refused before it was routed. */
const NOTHING_KNOWN = { endpoint: undefined, accessorId: undefined, headers: {}, pretty: false } as const

/**
 * Only these can outlive their client, so only they pay for a signal: blocking queries, by `index`, work that takes
 * many turns, and spellings that may mean either.
 */
function mayWait(url: string | undefined): boolean {
  return url !== undefined && /[?&](?:index=|[^=&?]*%)|\/(?:who-can|what-if|lint)|^[^?]*%/.test(url)
}
