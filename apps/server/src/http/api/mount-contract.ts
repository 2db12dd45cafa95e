import { type AnyRoute, type Method, ROUTE_LIST } from '@latchkey/contract'
import express, { type Application, type RequestHandler, type Router } from 'express'

const REGISTER = {
  GET: 'get',
  PUT: 'put',
  POST: 'post',
  DELETE: 'delete',
} as const satisfies Record<Method, keyof Application>

/**
 * Registers every route of the contract in the Express app. All share one handler: the service's own routing decides
 * versions, editions and methods.
 *
 * Express tries routes one after another, so each resource has its own router.
 */
export function mountContract(app: Application, answer: RequestHandler): void {
  const routers = new Map<string, Router>()
  for (const route of ROUTE_LIST) {
    const resource = resourceOf(route.path)
    const router = routers.get(resource) ?? express.Router({ caseSensitive: true, strict: true })
    routers.set(resource, router)
    router[REGISTER[route.method]](expressPath(route), answer)
  }
  // Not mounted at their paths, because Express would strip them.
  app.use((request, response, next) => {
    // A router would answer OPTIONS itself, with the methods of Express.
    const router = request.method === 'OPTIONS' ? undefined : routers.get(resourceOf(request.url))
    if (router) router(request, response, next)
    else next()
  })
}

/** The segment after `/v1`. */
function resourceOf(path: string): string {
  return /^\/v1\/([^/?]*)/.exec(path)?.[1] ?? ''
}

/** Parameters also match slashes, so that the service refuses a malformed id before Express fails to find the path. */
export function expressPath({ path }: Pick<AnyRoute, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '*$1')
}
