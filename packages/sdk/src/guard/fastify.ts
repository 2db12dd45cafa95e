/** Protects Fastify routes. */
import type { Client } from '../client.ts'
import { type AccessOptions, checkAccessOptions, denialOf } from './guard.ts'

export type { AccessOptions } from './guard.ts'

/** The part of a Fastify request that the guard uses. */
export interface FastifyRequest {
  // biome-ignore lint/suspicious/noExplicitAny: the application types the parameters of its routes.
  readonly params: any
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/** The part of a Fastify reply that the guard uses. */
export interface FastifyReply {
  code(status: number): this
  headers(values: object): this
  send(body: string): this
}

export type PreHandler<R> = (request: R, reply: FastifyReply) => Promise<unknown>

/**
 * A `preHandler` that lets a request through if its token has the right; otherwise answers 401, 403 or 503. Spec 5.
 *
 * @example
 * app.get('/orders', { preHandler: requireAccess(client, { resource: 'key', segment: 'orders/', access: 'list' }) }, list)
 */
export function requireAccess(
  client: Client,
  options: AccessOptions<FastifyRequest>,
): PreHandler<FastifyRequest>
/** With an explicit request type, such as `FastifyRequest<{ Params: { id: string } }>`. */
export function requireAccess<R extends FastifyRequest>(
  client: Client,
  options: AccessOptions<R>,
): PreHandler<R>
export function requireAccess<R extends FastifyRequest>(
  client: Client,
  options: AccessOptions<R>,
): PreHandler<R> {
  checkAccessOptions(options)
  return async (request, reply) => {
    const header = (name: string) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value[0] : value
    }
    const denial = await denialOf(client, options, request, header)
    return denial ? reply.code(denial.status).headers(denial.headers).send(denial.body) : undefined
  }
}
