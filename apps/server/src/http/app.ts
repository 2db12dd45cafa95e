/** The HTTP face of the server: Express, the API, and the probes. */
import type { RequestListener } from 'node:http'
import { ACL_ERRORS, decodePath, REQUEST_ID_HEADER } from '@latchkey/contract'
import type { OpenApiDocument } from '@latchkey/contract/openapi'
import express, { type ErrorRequestHandler } from 'express'
import type { Logger } from 'pino'
import { type ApiListener, type ApiListenerOptions, createApiListener } from './api-listener.ts'
import { docsRouter } from './docs.ts'
import { requestIdOf } from './request-id.ts'

export interface AppOptions extends ApiListenerOptions {
  /** What the page at `/docs` shows. */
  readonly openapi: () => OpenApiDocument
  /** What keeps the process from serving; empty where nothing does. */
  readonly notReady: () => Promise<readonly string[]>
}

/**
 * What answers requests: Express, with a lane before it. A path below `/v1/` is decided by the API alone, and Express
 * would only cost it a third of the time that an answer takes (bench/README.md); its own way there is for the few
 * spellings, such as a request line with a whole URL, that it takes apart first. Both end in the same listener.
 */
export function createApp(options: AppOptions): RequestListener {
  const listener = createApiListener(options)
  const app = createExpressApp(options, listener)
  return (request, response) => {
    if (request.url?.startsWith('/v1/')) listener(request, response)
    else app(request, response)
  }
}

function createExpressApp(options: AppOptions, listener: ApiListener): RequestListener {
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
  app.use((request, response, next) => {
    // Express has cut nothing here: the API reads the path as it was sent.
    if (isOfApi(request.path)) listener(request, response)
    else next()
  })
  app.use((_request, response) => {
    response.status(ACL_ERRORS.endpoint_unknown.status).type('text/plain').send('No such endpoint')
  })
  app.use(lastResort(options.log))
  return app
}

/** Whatever of a path is encoded, all spellings go one way (INJ-02). */
function isOfApi(path: string): boolean {
  if (path.startsWith('/v1/') || path.startsWith('//')) return true
  if (!path.includes('%')) return false
  try {
    return decodePath(path).startsWith('/v1/')
  } catch {
    return false
  }
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
