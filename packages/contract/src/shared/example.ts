import type { Contract, ResourceName } from '../contract.ts'
import type { Answer, BodyInput, RouteName } from '../routes.ts'

/** An example of the body and the answers of an operation. */
export interface Examples<Body = unknown, Answer = unknown> {
  readonly body?: Body
  /** By a short name, in display order. */
  readonly answers: Readonly<Record<string, { readonly summary?: string; readonly value: Answer }>>
}

/** The examples of one resource, one per operation. */
export type ExamplesOf<R extends ResourceName> = {
  readonly [K in keyof Contract[R] & string]: `${R}.${K}` extends infer N extends RouteName
    ? Examples<BodyInput<N>, Answer<N>>
    : never
}

/** A single, unnamed example. */
export function answer<A, B = undefined>(value: A, body?: B): Examples<B, A> {
  return { ...(body === undefined ? {} : { body }), answers: { example: { value } } }
}
