/** The form of examples: one for each operation, typed by its body and answer. */
import type { Contract, ResourceName } from '../contract.ts'
import type { Answer, BodyInput, RouteName } from '../routes.ts'

/** An example of the body and the answers of an operation. */
export interface Examples<Body = unknown, Answer = unknown> {
  readonly body?: Body
  /** By a short name; the first is shown first. */
  readonly answers: Readonly<Record<string, { readonly summary?: string; readonly value: Answer }>>
}

/** The examples of one resource, one for each operation. */
export type ExamplesOf<R extends ResourceName> = {
  readonly [K in keyof Contract[R] & string]: `${R}.${K}` extends infer N extends RouteName
    ? Examples<BodyInput<N>, Answer<N>>
    : never
}

/** One answer, without a name of its own. */
export function answer<A, B = undefined>(value: A, body?: B): Examples<B, A> {
  return { ...(body === undefined ? {} : { body }), answers: { example: { value } } }
}
