/** Protects routes of Express. */
import type { Client } from '../client.ts'
import { type AccessOptions, denialOf } from './guard.ts'

/** What is used of a request of Express. */
interface ExpressRequest {
  readonly params: Readonly<Record<string, unknown>>
  get(name: string): string | undefined
}

/** What is used of a response of Express. */
interface ExpressResponse {
  status(code: number): this
  set(headers: object): this
  send(body: string): this
}

/**
 * Lets a request through if its token has the right; otherwise answers 401, 403 or 503. Spec 5.
 *
 * @example
 * app.get('/orders/:id', requireAccess(client, { resource: 'key', segment: (r) => `orders/${r.params.id}`, access: 'read' }), show)
 */
export function requireAccess<R extends ExpressRequest = ExpressRequest>(
  client: Client,
  options: AccessOptions<R>,
): (request: R, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void> {
  return async (request, response, next) => {
    try {
      const denial = await denialOf(client, options, request, (name) => request.get(name))
      if (denial) response.status(denial.status).set(denial.headers).send(denial.body)
      else next()
    } catch (error) {
      next(error)
    }
  }
}
