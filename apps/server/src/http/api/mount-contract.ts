import { type AnyRoute, type Method, ROUTE_LIST } from '@latchkey/contract'
import type { Application, RequestHandler } from 'express'

const REGISTER = {
  GET: 'get',
  PUT: 'put',
  POST: 'post',
  DELETE: 'delete',
} as const satisfies Record<Method, keyof Application>

/**
 * Registers every route of the contract in the Express app. All share one handler: the service's own routing decides
 * versions, editions and methods.
 */
export function mountContract(app: Application, answer: RequestHandler): void {
  for (const route of ROUTE_LIST) app[REGISTER[route.method]](expressPath(route), answer)
}

/**
 * A parameter matches slashes too, so that the service judges a malformed id instead of Express not finding the path.
 */
export function expressPath({ path }: Pick<AnyRoute, 'path'>): string {
  return path.replaceAll(/:(\w+)/g, '*$1')
}
