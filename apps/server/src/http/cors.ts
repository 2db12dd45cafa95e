/** Decides which answers a page of another origin may read (CORS). Decisions: hosts. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import corsHeaders from 'cors'

/** The entry of `LATCHKEY_CORS_ORIGINS` that lets pages of every origin read. It allows no writes. */
export const ANY_ORIGIN = '*'

const PREFLIGHT_SECONDS = 600

type Next = () => void
type Cors = (request: IncomingMessage, response: ServerResponse, next: Next) => void

/** Adds the headers that let pages of these origins read. Credentials are never allowed. */
export function corsFor(origins: readonly string[]): Cors | undefined {
  if (origins.length === 0) return undefined
  const allowsAny = origins.includes(ANY_ORIGIN)
  const handle = corsHeaders({
    origin: allowsAny ? ANY_ORIGIN : [...origins],
    methods: allowsAny ? ['GET', 'HEAD'] : ['GET', 'HEAD', 'PUT', 'POST', 'DELETE'],
    exposedHeaders: '*',
    maxAge: PREFLIGHT_SECONDS,
  })
  return (request, response, next) => {
    const { origin, 'access-control-request-method': asked } = request.headers
    const isPreflight = request.method === 'OPTIONS' && asked !== undefined
    const isListed = origin !== undefined && (allowsAny || origins.includes(origin))
    if (!isListed || (request.method === 'OPTIONS' && !isPreflight)) {
      // A cache must not serve an answer without the headers to a page that needs them.
      if (!allowsAny) response.appendHeader('Vary', 'Origin')
      next()
    } else {
      handle(request, response, next)
    }
  }
}
