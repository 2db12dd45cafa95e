/** What the published types make of those that are inferred from schemas. */

/** An answer as JSON carries it: an optional field is there or not, and never holds `undefined`. */
export type Exact<T> = T extends readonly (infer E)[]
  ? Exact<E>[]
  : T extends object
    ? { [K in keyof T]: Exact<object extends Pick<T, K> ? Exclude<T[K], undefined> : T[K]> }
    : T

/** A body as a caller may write it: lists may be readonly, and fields that no type offers are left out. */
export type Offered<T> = T extends readonly (infer E)[]
  ? readonly Offered<E>[]
  : T extends object
    ? { [K in keyof T as [T[K]] extends [undefined] ? never : K]: Offered<T[K]> }
    : T
