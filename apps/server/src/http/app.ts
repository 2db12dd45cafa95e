/** The HTTP face of the server: Express, the API, and the probes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Api } from '@latchkey/acl'
import { ACL_ERRORS, REQUEST_ID_HEADER } from '@latchkey/contract'
import type { OpenApiDocument } from '@latchkey/contract/openapi'
import express, { type ErrorRequestHandler, type Express } from 'express'
import type { Logger } from 'pino'
import type { Metrics } from '../telemetry/metrics.ts'
import { docsRouter } from './docs.ts'
import { logPath } from './log-path.ts'
import { requestIdOf } from './request-id.ts'
import { toWireRequest, writeReply } from './wire-adapter.ts'

export interface AppOptions {
  readonly api: Api
  /** What the page at `/docs` shows. */
  readonly openapi: () => OpenApiDocument
  readonly log: Logger
  readonly metrics: Metrics
  /** For a line per answer. */
  readonly accessLog: Logger
  /** What keeps the process from serving; empty where nothing does. */
  readonly notReady: () => Promise<readonly string[]>
  /** Aborted when the server ends all waits. */
  readonly closing: AbortSignal
}

/** A handler of plain Node requests for all of `/v1`: the one way in for Express and for the lane before it. */
export type ApiListener = (request: IncomingMessage, response: ServerResponse) => void

export function createApiListener(options: AppOptions): ApiListener {
  const { api, log, metrics, accessLog, closing } = options
  const logsAccess = accessLog.isLevelEnabled('info')
  return (request, response) => {
    const startedAt = performance.now()
    const requestId = requestIdOf(request)
    const url = request.url ?? '/'
    const signal = url.includes('index=') ? clientSignal(response, closing) : undefined
    const answer = async () => {
      const reply = await api.handle(toWireRequest(request, requestId, signal))
      await writeReply(reply, response)
      const ms = performance.now() - startedAt
      metrics.request(reply.endpoint ?? 'none', reply.status, ms / 1_000)
      if (!logsAccess) return
      accessLog.info({
        id: requestId,
        method: request.method,
        path: logPath(url),
        status: reply.status,
        ms: Math.round(ms * 1_000) / 1_000,
        endpoint: reply.endpoint,
        accessor: reply.accessorId,
        address: request.socket.remoteAddress,
        agent: request.headers['user-agent'],
      })
    }
    answer().catch((error: unknown) => {
      log.error({ err: error, id: requestId }, 'an answer could not be written')
      response.destroy()
    })
  }
}

/** Only a blocking query can outlive its client, so only it pays for a signal. */
function clientSignal(response: ServerResponse, closing: AbortSignal): AbortSignal {
  const gone = new AbortController()
  const abort = () => gone.abort()
  closing.addEventListener('abort', abort)
  response.once('close', () => {
    closing.removeEventListener('abort', abort)
    gone.abort()
  })
  if (closing.aborted) gone.abort()
  return gone.signal
}

export function createApp(options: AppOptions): Express {
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
  app.use('/docs', docsRouter(options.openapi))
  const listener = createApiListener(options)
  app.use((request, response, next) => {
    // Express has cut nothing here: the API reads the path as it was sent.
    if (request.path.startsWith('/v1/') || request.path.startsWith('//')) listener(request, response)
    else next()
  })
  app.use((_request, response) => {
    response.status(ACL_ERRORS.endpoint_unknown.status).type('text/plain').send('No such endpoint')
  })
  app.use(lastResort(options.log))
  return app
}

/** Never prints an error to a client. What Express itself refuses, such as a path it cannot decode, is a 400. */
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
