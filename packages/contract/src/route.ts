/** The building blocks of a route. The only file that imports ts-rest. */
import { type AppRoute, initContract } from '@ts-rest/core'
import type * as z from 'zod'
import type { RouteMetadata, Writes } from './metadata.ts'
import { type CodesOf, codesOf, type StatusOf, type WithStatus } from './refusals/implied.ts'
import { type RefusalSchema, refusalSchemas } from './refusals/problem.ts'

/** Builds routers; see `contract.ts`. */
export const c: ReturnType<typeof initContract> = initContract()

/** A complete ts-rest route: summary, description, query and metadata are required. */
export type ContractRoute = AppRoute & {
  readonly path: `/v1/${string}`
  readonly summary: string
  readonly description: string
  readonly query: z.ZodObject
  readonly responses: { readonly 200: z.ZodType }
  readonly metadata: RouteMetadata
}

/** A router of one resource. */
export type ContractRoutes = Readonly<Record<string, ContractRoute>>

/** The answer and every refusal, by status. */
type Responses<A extends z.ZodType, M extends RouteMetadata> = {
  readonly [S in 200 | StatusOf<CodesOf<M>>]: S extends 200 ? A : RefusalSchema<WithStatus<CodesOf<M>, S>>
}

/** Every method except GET must declare what it writes, because this decides which datacenter handles it. */
type Decided<M extends RouteMetadata> = M extends { readonly sameOrigin: true }
  ? { readonly writes: Writes }
  : { readonly writes?: never }

/**
 * `responses` and `metadata` of a route: its answer, and the refusals that its metadata implies.
 */
export function answers<const A extends z.ZodType, const M extends RouteMetadata>(
  answer: A,
  metadata: M & Decided<M> & { readonly [K in Exclude<keyof M, keyof RouteMetadata>]: never },
): { readonly responses: Responses<A, M>; readonly metadata: M } {
  const responses = { 200: answer, ...refusalSchemas(codesOf(metadata)) }
  // The compiler cannot follow the codes through the grouping by status.
  return { responses: responses as unknown as Responses<A, M>, metadata }
}
