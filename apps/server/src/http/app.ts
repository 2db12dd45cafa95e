/** The HTTP application: Express, the API, and the probes. */
import type { RequestListener } from 'node:http'
import { ACL_ERRORS, decodePath, REQUEST_ID_HEADER } from '@latchkey/contract'
import type { OpenApiDocument } from '@latchkey/contract/openapi'
import express, { type ErrorRequestHandler, type Express, type RequestHandler } from 'express'
import type { Logger } from 'pino'
import { type ApiListener, type ApiListenerOptions, createApiListener } from './api/api-listener.ts'
import { mountContract } from './api/mount-contract.ts'
import { corsFor } from './cors.ts'
import { docsRouter } from './docs/docs-router.ts'
import type { Door } from './door.ts'
import { extendResponses } from './extend-responses.ts'
import { isOnFastLane } from './fast-lane.ts'
import { requestIdOf } from './request-id.ts'

export interface AppOptions extends ApiListenerOptions {
  /** Decides which requests are answered at all. */
  readonly door: Pick<Door, 'refusalOf'>
  /** Origins whose pages may read answers. */
  readonly corsOrigins?: readonly string[]
  /** Whether reads from memory skip Express. */
  readonly fastLane: boolean
  /** The content of the page at `/docs`. */
  readonly openapi: () => OpenApiDocument
  /** Why the process cannot serve; empty if it can. */
  readonly notReady: () => Promise<readonly string[]>
}

/**
 * Answers requests: Express, with a lane in front of it for reads from memory ({@link isOnFastLane}). Every request of the
 * API ends in the same listener.
 */
export function createApp(options: AppOptions): RequestListener {
  const listener = createApiListener(options)
  const app = createExpressApp(options, listener)
  const extend = extendResponses(app)
  const route: RequestListener = (request, response) => {
    if (options.fastLane && isOnFastLane(request)) listener.answer(request, response)
    else {
      extend(response)
      app(request, response)
    }
  }
  const cors = corsFor(options.corsOrigins ?? [])
  return (request, response) => {
    const refusal = options.door.refusalOf(request)
    if (refusal) listener.refuse(request, response, refusal)
    else if (cors) cors(request, response, () => route(request, response))
    else route(request, response)
  }
}

function createExpressApp(options: AppOptions, listener: ApiListener): Express {
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
  const answer: RequestHandler = (request, response) => listener.answer(request, response)
  mountContract(app, answer)
  // Everything else below `/v1`: other methods and spellings, paths of other versions. The service refuses or
  // redirects it.
  app.use((request, response, next) => {
    if (isOfApi(request.path)) answer(request, response, next)
    else next()
  })
  app.use((_request, response) => {
    response.status(ACL_ERRORS.endpoint_unknown.status).type('text/plain').send('No such endpoint')
  })
  app.use(undecodable(answer))
  app.use(lastResort(options.log))
  return app
}

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

/** Express fails on a matching path that it cannot decode; the service refuses it in its own form. */
function undecodable(answer: RequestHandler): ErrorRequestHandler {
  return (error, request, response, next) => {
    if (error instanceof URIError && isOfApi(request.path)) answer(request, response, next)
    else next(error)
  }
}

/**
 * Never shows an internal error to a client. What Express itself refuses, such as a path it cannot decode, is a 400.
 */
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
