/**
 * Values that may have to be waited for. Nearly every read finds all it needs in memory; waiting for what is there
 * already would cost it more than the rules do.
 */
export type MaybePromise<T> = T | Promise<T>

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise
}

/** What `next` makes of a value: at once where the value is there, else when it comes. */
export function andThen<T, U>(value: MaybePromise<T>, next: (value: T) => MaybePromise<U>): MaybePromise<U> {
  return isPromise(value) ? value.then(next) : next(value)
}
