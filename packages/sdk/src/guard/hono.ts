/** Protects Hono routes. */
import type { Client } from '../client.ts'
import { type AccessOptions, checkAccessOptions, denialOf } from './guard.ts'

export type { AccessOptions } from './guard.ts'

/** The part of a Hono context that the guard uses. */
export interface HonoContext {
  readonly req: { header(name: string): string | undefined; param(name: string): string | undefined }
}

/**
 * Lets a request through if its token has the right; otherwise answers 401, 403 or 503. Spec 5.
 *
 * @example
 * app.get('/orders/:id', requireAccess(client, { resource: 'key', segment: (c) => `orders/${c.req.param('id')}`, access: 'read' }), show)
 */
export function requireAccess<C extends HonoContext = HonoContext>(
  client: Client,
  options: AccessOptions<C>,
): (context: C, next: () => Promise<void>) => Promise<Response | undefined> {
  checkAccessOptions(options)
  return async (context, next) => {
    const denial = await denialOf(client, options, context, (name) => context.req.header(name))
    if (denial) return new Response(denial.body, { status: denial.status, headers: denial.headers })
    await next()
    return undefined
  }
}
