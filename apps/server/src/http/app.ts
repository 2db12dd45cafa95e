/** The HTTP application: takes a request from Node through Express to the service, and writes its reply. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { ACL_ERRORS, type AclError, decodePath, REQUEST_ID_HEADER, type RouteMatch } from '@latchkey/contract'
import { FairQueue, renderError, type Service, type WireReply, type WireRequest } from '@latchkey/service'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { RequestSpans } from '../tracing/request-spans.ts'
import { type Records, recordAnswer } from './access-log.ts'
import type { Backpressure } from './api/backpressure.ts'
import { bodyBudget } from './api/body-budget.ts'
import { ClientSignals, canOutliveClient } from './api/client-signals.ts'
import { type Answer, isOnFastLane, mountContract } from './api/mount-contract.ts'
import { NodeWireRequest, WRITTEN_PER_TURN_BYTES_MAX, writeReply } from './api/wire-adapter.ts'
import { Compression } from './compression/compression.ts'
import { corsFor } from './cors.ts'
import type { HostGuard } from './host-guard.ts'
import type { ConnectionReader } from './listener/http-server.ts'
import { Repeats } from './repeats/repeats.ts'
import { requestIdOf } from './request-id.ts'

interface ApiListenerOptions extends Records {
  readonly service: Pick<Service, 'reply'>
  readonly log: Logger
  /** Counts the answers that clients have not read. Producers of long answers wait on the same instance. */
  readonly unread: Backpressure
  readonly compression?: Compression
  /** The key by which a client is limited; undefined for trusted proxies. */
  readonly clientOf: (request: Pick<IncomingMessage, 'socket'>) => string | undefined
  /** Whether writes may be forwarded to a primary, and so take as long as its answer. Default: false. */
  readonly forwardsWrites?: boolean
  readonly closing: AbortSignal
  /** Clients that wait. Default: only those of this listener. */
  readonly signals?: ClientSignals
  readonly spans?: RequestSpans | undefined
}

export interface AppOptions extends ApiListenerOptions {
  readonly guard: Pick<HostGuard, 'refusalOf'>
  readonly corsOrigins?: readonly string[]
  /** Whether reads from memory skip Express. */
  readonly fastLane: boolean
  readonly docs: RequestHandler
  /** Handler of `/ui`; `undefined`: the console is switched off. */
  readonly console?: RequestHandler | undefined
  /** Why the process cannot serve; empty if it can. */
  readonly notReady: () => Promise<readonly string[]>
}

/** Maximum requests that Express starts in one turn of the event loop. A start takes about 0.1 ms. */
export const STARTS_PER_TURN_MAX = 16
/** A turn starts no request after this many milliseconds: a read of a long list takes tens of milliseconds. */
const STARTS_MS_MAX = 10

/**
 * Maximum answers written in one turn, at its end: answers written one by one wake their reader each time, and a batch
 * wakes it once. The wake-ups took more than a third of a read's processor time (`bench/README.md`). A write takes some
 * 20 µs, and other work must be able to interrupt a burst, for example when many waits end.
 */
const ANSWERS_PER_TURN = 256

interface App {
  readonly listener: RequestListener
  /** Answers requests whose headers were seen before; undefined if every request has to pass through the listener. */
  readonly reader: (ConnectionReader & Pick<Repeats, 'begin' | 'handOver'>) | undefined
}

/**
 * Answers requests: Express, with a lane in front of it for reads from memory ({@link isOnFastLane}). Every API request
 * that Node has parsed ends in the same listener; {@link Repeats} answers the others.
 */
export function createApp(options: AppOptions): App {
  const { guard, clientOf, fastLane, forwardsWrites = false } = options
  const parts = { compression: new Compression(), signals: new ClientSignals(options.closing) }
  const starts = new FairQueue(STARTS_PER_TURN_MAX, { msPerTurn: STARTS_MS_MAX, startsAtOnce: true })
  const reads = new FairQueue(Number.POSITIVE_INFINITY, { msPerTurn: STARTS_MS_MAX, startsAtOnce: true })
  const cors = corsFor(options.corsOrigins ?? [])
  const api = createApiListener({ ...options, ...parts })
  const app = createExpressApp(options, (request, response, match) => api.answer(request, response, match))
  const schedule = (request: Pick<IncomingMessage, 'method' | 'url' | 'socket'>, task: () => void) => {
    const queue = fastLane && isOnFastLane(request) ? reads : starts
    queue.run(clientOf(request), task)
  }
  const route: RequestListener = (request, response) =>
    schedule(request, () => {
      // The client left while its request was queued.
      if (response.destroyed) return
      if (fastLane && isOnFastLane(request)) api.answer(request, response)
      else app(request, response)
    })
  const listener: RequestListener = (request, response) => {
    const refusal = guard.refusalOf(request)
    if (refusal) api.refuse(request, response, refusal)
    else if (cors) cors(request, response, () => route(request, response))
    else route(request, response)
  }
  // CORS and tracing work on Node's messages.
  if (!fastLane || cors || options.spans) return { listener, reader: undefined }
  const repeats = new Repeats({ ...options, ...parts, forwardsWrites, schedule, answer: api.answerRepeat })
  return { listener: repeats.inFrontOf(listener), reader: repeats }
}

function createExpressApp(options: AppOptions, answer: Answer): Express {
  const app = express()
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', false)
  app.get('/livez', (_request, response) => {
    response.type('text/plain').send('ok')
  })
  app.get('/readyz', async (_request, response) => {
    const reasons = await options.notReady()
    response
      .status(reasons.length === 0 ? 200 : 503)
      .type('text/plain')
      .send(reasons.join('\n') || 'ok')
  })
  app.get('/', (_request, response) => {
    response.type('text/plain').send('Latchkey')
  })
  app.use('/docs', options.docs)
  if (options.console) app.use('/ui', options.console)
  mountContract(app, answer)
  // Everything else below `/v1`: other methods and spellings, paths of other versions. The service refuses or
  // redirects it.
  app.use((request, response, next) => {
    if (isOfApi(request.path)) answer(request, response)
    else next()
  })
  app.use((_request, response) => {
    response.status(ACL_ERRORS.endpoint_unknown.status).type('text/plain').send('No such endpoint')
  })
  app.use(lastResort(options.log))
  return app
}

interface ApiListener {
  /** @param match the endpoint, if its route is already known. */
  answer(request: IncomingMessage, response: ServerResponse, match?: RouteMatch): void
  /** Answers a request that the service is already replying to. */
  answerRepeat(request: IncomingMessage, response: ServerResponse, repeat: Begun): void
  /** Answers a request that never reaches the API, in the same form. */
  refuse(request: IncomingMessage, response: ServerResponse, error: AclError): void
}

/** A request that arrived before Node's messages existed. */
interface Begun {
  readonly since: number
  readonly requestId: string
  replied(): Promise<WireReply>
}

type ReplyTo = (wire: WireRequest) => WireReply | Promise<WireReply>

/** The entry to the API for Node's requests, from Express and from the lane in front of it. */
export function createApiListener(options: ApiListenerOptions): ApiListener {
  const { service, log, unread, clientOf, forwardsWrites = false, spans } = options
  const { compression = new Compression(), signals = new ClientSignals(options.closing) } = options
  const endOfTurn = new FairQueue(ANSWERS_PER_TURN)
  const bodies = { writes: bodyBudget(), questions: bodyBudget() }
  const turns = new FairQueue(WRITTEN_PER_TURN_BYTES_MAX, { startsAtOnce: true })
  const outlet = { unread, turns, clientOf }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    replyTo: ReplyTo,
    { begun, match }: { readonly begun?: Begun; readonly match?: RouteMatch | undefined } = {},
  ): Promise<void> {
    const { since, requestId } = begun ?? { since: performance.now(), requestId: requestIdOf(request) }
    // A request that began without Node has its own signal.
    const hasSignal = !begun && canOutliveClient(request, forwardsWrites)
    const signal = hasSignal ? signals.signalOf(response) : undefined
    const budget = request.method === 'POST' ? bodies.questions : bodies.writes
    const wire = new NodeWireRequest(request, response, {
      requestId,
      match,
      signal,
      bodies: budget,
      clientOf,
    })
    try {
      let reply = await replyTo(wire)
      wire.done()
      if (compression.varies(reply)) {
        // Appended, because CORS may also have set it.
        response.appendHeader('Vary', 'Accept-Encoding')
        reply = await compression.compress(reply, request.headers['accept-encoding'])
      }
      await endOfTurn.next()
      await writeReply(reply, response, outlet)
      const { method, url } = wire
      const { headers, socket } = request
      recordAnswer(reply, { requestId, method, url, headers, socket, since }, options)
    } catch (error) {
      log.error({ err: error, id: requestId }, 'an answer could not be written')
      response.destroy()
    }
  }

  const handle: ReplyTo = (wire) => service.reply(wire)
  return {
    answer: (request, response, match) => {
      if (spans === undefined) void answer(request, response, handle, { match })
      else {
        const isTrusted = clientOf(request) === undefined
        void spans.request({ request, response, isTrusted }, (isSampled) =>
          answer(request, response, isSampled ? spans.operation(handle) : handle, { match }),
        )
      }
    },
    answerRepeat: (request, response, begun) =>
      void answer(request, response, () => begun.replied(), { begun }),
    refuse: (request, response, error) =>
      void answer(request, response, (wire) => renderError(error, { request: wire, ...NOTHING_KNOWN })),
  }
}

const NOTHING_KNOWN = {
  ...{ endpoint: undefined, accessorId: undefined, headers: {}, pretty: false },
  dialect: 'service',
} as const

/** All encodings of a path are handled the same way (INJ-02). */
function isOfApi(path: string): boolean {
  if (path.startsWith('/v1/') || path.startsWith('//')) return true
  if (!path.includes('%')) return false
  try {
    return decodePath(path).startsWith('/v1/')
  } catch {
    return false
  }
}

/** Never shows an internal error to a client. Refusals by Express itself, such as an undecodable path, are a 400. */
function lastResort(log: Logger): ErrorRequestHandler {
  return (error, request, response, _next) => {
    const isClients =
      typeof error === 'object' && error !== null && (error as { status?: unknown }).status === 400
    const requestId = requestIdOf(request)
    if (!isClients) log.error({ err: error, id: requestId }, 'request failed')
    if (response.headersSent) {
      response.destroy()
      return
    }
    const { status } = isClients ? ACL_ERRORS.path_invalid : ACL_ERRORS.internal
    response.setHeader(REQUEST_ID_HEADER, requestId)
    response
      .status(status)
      .type('text/plain')
      .send(isClients ? 'The path is not valid' : `Internal error (request ${requestId})`)
  }
}
