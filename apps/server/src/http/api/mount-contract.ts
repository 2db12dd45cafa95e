import type { IncomingMessage } from 'node:http'
import { type AnyRoute, ENDPOINTS, matchPath, ROUTE_LIST, type RouteMatch } from '@latchkey/contract'
import express, { type Application, type Request, type Response, type Router } from 'express'

const REGISTER = { GET: 'get', PUT: 'put', POST: 'post', DELETE: 'delete' } as const

export type Answer = (request: Request, response: Response, match?: RouteMatch) => void

/**
 * URLs whose match by Express is that of the service: without escapes in the path, which the service decodes before it
 * looks for an endpoint, and without characters at which Express cuts or rewrites a URL.
 */
const PLAIN_URL = /^\/[!"$&->@-~]*(?:\?[!"$-~]*)?$/

/**
 * Registers every route of the contract in the Express app. Express tries routes one after another, so each resource
 * has its own router, and more specific paths come first. A path with another method is left to the service, which
 * decides versions, editions and methods.
 */
export function mountContract(app: Application, answer: Answer): void {
  const routers = new Map<string, Router>()
  for (const path of new Set(ROUTE_LIST.map(({ path }) => path).sort(bySpecificity))) {
    const resource = resourceOf(path)
    const router = routers.get(resource) ?? express.Router({ caseSensitive: true, strict: true })
    routers.set(resource, router)
    const registered = router.route(expressPaths(path))
    for (const route of ROUTE_LIST.filter((each) => each.path === path)) {
      registered[REGISTER[route.method]]((request, response) => {
        // Express gives HEAD to the handler of GET.
        answer(request, response, request.method === route.method ? matchOf(route, request) : undefined)
      })
    }
    registered.all((request, response) => answer(request, response))
  }
  // Not mounted at their paths, because Express would strip them.
  app.use((request, response, next) => {
    // A router would answer OPTIONS itself, with the methods of Express.
    const isPlain = request.method !== 'OPTIONS' && PLAIN_URL.test(request.url)
    const router = isPlain ? routers.get(resourceOf(request.url)) : undefined
    if (router) router(request, response, next)
    else next()
  })
}

function resourceOf(path: string): string {
  return /^\/v1\/([^/?]*)/.exec(path)?.[1] ?? ''
}

/**
 * Parameters also match slashes, so that the service refuses a malformed id before Express fails to find the path. A
 * parameter at the end may be missing, with its slash or without.
 */
function expressPaths(path: string): string[] {
  const [, start, param] = /^(.*)\/:(\w+)$/.exec(path) ?? []
  return param ? [`${start}`, `${start}/{*${param}}`] : [path.replace(/:(\w+)/, '*$1')]
}

function matchOf({ name, path }: AnyRoute, request: Request): RouteMatch {
  const [, param] = /:(\w+)/.exec(path) ?? []
  const params = param ? { [param]: [request.params[param] ?? []].flat().join('/') } : {}
  return { name, endpoint: ENDPOINTS[name], params }
}

/** Paths without a parameter first; then those with the longest start, and of these those with the longest end. */
function bySpecificity(a: string, b: string): number {
  const [startA = '', endA] = a.split(':')
  const [startB = '', endB] = b.split(':')
  if (endA === undefined || endB === undefined) return Number(endA !== undefined) - Number(endB !== undefined)
  const literal = (end: string) => end.replace(/^\w+/, '').length
  return startB.length - startA.length || literal(endB) - literal(endA)
}

const API_PREFIX = '/v1'

/**
 * Whether a request takes the lane in front of Express: a read that the process usually answers from memory.
 *
 * Express costs a third of such a read (`bench/README.md`), so these reads skip it and go straight to the listener
 * behind every Express route. The lane takes GET requests whose path belongs to a blocking read in the contract, such
 * as reads of tokens, keys and the catalog. Everything else that Node parses goes through Express: writes, other
 * methods, other reads, and every spelling that Express would have to decode. `LATCHKEY_FAST_LANE=off` closes the lane.
 * Answers are the same bytes either way; `express-bytes.test.ts` compares them. Requests with known headers skip Node's
 * messages, too (`repeats/repeats.ts`).
 */
export function isOnFastLane({ method, url }: Pick<IncomingMessage, 'method' | 'url'>): boolean {
  if (method !== 'GET' || !url?.startsWith(`${API_PREFIX}/`)) return false
  const queryAt = url.indexOf('?')
  const path = url.slice(API_PREFIX.length, queryAt < 0 ? url.length : queryAt)
  if (path.includes('%')) return false
  return matchPath(path)?.form.byMethod.get('GET')?.endpoint.blocking !== undefined
}
