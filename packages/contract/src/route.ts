/** The building blocks of a route. The only file that imports ts-rest. */
import { type AppRoute, type ContractNoBody, initContract } from '@ts-rest/core'
import type * as z from 'zod'
import type { Method } from './endpoint.ts'
import type { RouteMetadata, Writes } from './metadata.ts'
import { type CodesOf, codesOf, type StatusOf, type WithStatus } from './refusals/implied.ts'
import { type RefusalSchema, refusalSchemas } from './refusals/problem.ts'

/** Builds routers; see `contract.ts`. */
export const c: ReturnType<typeof initContract> = initContract()

type Path = `/v1/${string}`

/** A complete ts-rest route. */
export type ContractRoute = AppRoute & {
  readonly path: Path
  readonly summary: string
  readonly description: string
  readonly query: z.ZodObject
  readonly responses: { readonly 200: z.ZodType }
  readonly metadata: RouteMetadata
}

/** A router of one resource. */
export type ContractRoutes = Readonly<Record<string, ContractRoute>>

/** What a route says besides its method, path and answer. */
interface Parts {
  readonly pathParams?: z.ZodObject
  readonly summary: string
  readonly description: string
  readonly query: z.ZodObject
  readonly metadata: RouteMetadata
}

interface Read extends Parts {
  readonly metadata: RouteMetadata & { readonly writes?: never }
}

/** Every method except GET must declare what it writes, because this decides which datacenter handles it. */
interface Write extends Parts {
  /** Default: none. */
  readonly body?: z.ZodType
  readonly metadata: RouteMetadata & { readonly writes: Writes }
}

/** Refuses properties that metadata does not have. */
type Known<R extends Parts> = R & {
  readonly metadata: { readonly [K in Exclude<keyof R['metadata'], keyof RouteMetadata>]: never }
}

/** The metadata that follows from method and path. */
type Derived<M extends Method, P extends Path> = (M extends 'GET' ? unknown : { readonly sameOrigin: true }) &
  (P extends `/v1/acl/${string}` | `/v1/internal/acl/${string}` ? { readonly acl: true } : unknown)

/** The answer and every refusal, by status. */
type Responses<A extends z.ZodType, M extends RouteMetadata> = {
  readonly [S in 200 | StatusOf<CodesOf<M>>]: S extends 200 ? A : RefusalSchema<WithStatus<CodesOf<M>, S>>
}

type Route<M extends Method, P extends Path, A extends z.ZodType, R extends Parts> = R & {
  readonly method: M
  readonly path: P
  readonly metadata: Derived<M, P>
  readonly responses: Responses<A, R['metadata'] & Derived<M, P>>
} & (M extends 'PUT' | 'POST'
    ? R extends { readonly body: z.ZodType }
      ? unknown
      : { readonly body: typeof ContractNoBody }
    : unknown)

function routeBuilder<M extends Method, Allowed extends Parts>(method: M) {
  return <const P extends Path, const A extends z.ZodType, const R extends Allowed>(
    path: P,
    answer: A,
    parts: Known<R>,
  ): Route<M, P, A, R> => {
    const metadata: RouteMetadata = {
      ...parts.metadata,
      ...(method === 'GET' ? {} : { sameOrigin: true }),
      ...(/^\/v1\/(internal\/)?acl\//.test(path) ? { acl: true } : {}),
    }
    const body = method === 'PUT' || method === 'POST' ? { body: c.noBody() } : {}
    const responses = { 200: answer, ...refusalSchemas(codesOf(metadata)) }
    // The compiler cannot follow the codes through the grouping by status.
    return { method, path, ...body, ...parts, metadata, responses } as unknown as Route<M, P, A, R>
  }
}

/** A route with its responses: the answer, and the refusals that its metadata implies. */
export const get = routeBuilder<'GET', Read>('GET')
export const put = routeBuilder<'PUT', Write>('PUT')
export const post = routeBuilder<'POST', Write>('POST')
export const del = routeBuilder<'DELETE', Write>('DELETE')
