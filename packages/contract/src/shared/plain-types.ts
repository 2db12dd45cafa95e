/** Inferred types in their published form. */

/** An answer as JSON: an optional field is present or absent, never `undefined`. */
export type Exact<T> = T extends readonly (infer E)[]
  ? Exact<E>[]
  : T extends object
    ? { [K in keyof T]: Exact<object extends Pick<T, K> ? Exclude<T[K], undefined> : T[K]> }
    : T

/** A body as a caller may write it: with readonly lists, and without unoffered fields. */
export type Offered<T> = T extends readonly (infer E)[]
  ? readonly Offered<E>[]
  : T extends object
    ? { [K in keyof T as [T[K]] extends [undefined] ? never : K]: Offered<T[K]> }
    : T
