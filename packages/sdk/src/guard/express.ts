/** Protects Express routes. */
import type { Client } from '../client.ts'
import { type AccessOptions, checkAccessOptions, denialOf } from './guard.ts'

export type { AccessOptions } from './guard.ts'

/** The request of the middleware. It omits `params`, from which TypeScript would infer the route's parameters. */
export interface AnyRequest {
  get(name: string): string | undefined
}

/** The part of an Express request that the guard uses. */
export interface ExpressRequest extends AnyRequest {
  readonly params: Readonly<Record<string, unknown>>
}

/**
 * The part of an Express response that the guard uses. It omits `send`, from which TypeScript would infer the route's
 * bodies.
 */
export interface ExpressResponse {
  status(code: number): this
  set(headers: object): this
  end(body: string): unknown
}

export type Middleware<R> = (
  request: R,
  response: ExpressResponse,
  next: (error?: unknown) => void,
) => Promise<void>

/**
 * Lets a request through if its token has the right; otherwise answers 401, 403 or 503. Spec 5.
 *
 * @example
 * app.get('/orders/:id', requireAccess(client, { resource: 'key', segment: (r) => `orders/${r.params.id}`, access: 'read' }), show)
 */
export function requireAccess(client: Client, options: AccessOptions<ExpressRequest>): Middleware<AnyRequest>
/** With an explicit request type, such as `Request<{ id: string }>`. */
export function requireAccess<R extends ExpressRequest>(
  client: Client,
  options: AccessOptions<R>,
): Middleware<R>
export function requireAccess<R extends ExpressRequest>(
  client: Client,
  options: AccessOptions<R>,
): Middleware<R> {
  checkAccessOptions(options)
  return async (request, response, next) => {
    try {
      const denial = await denialOf(client, options, request, (name) => request.get(name))
      if (denial) response.status(denial.status).set(denial.headers).end(denial.body)
      else next()
    } catch (error) {
      next(error)
    }
  }
}
