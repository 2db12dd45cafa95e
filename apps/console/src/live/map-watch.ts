import type { Watch } from '@latchkey/sdk'

/** The same watch with `null` for a missing record: a query may not have the value `undefined`. */
export function watchOrNull<T>(watch: Watch<T | undefined>): Watch<T | null> {
  return mapWatch(watch, (value) => value ?? null)
}

/** The same watch with mapped values. */
export function mapWatch<T, U>(watch: Watch<T>, map: (value: T) => U): Watch<U> {
  return {
    async next() {
      const result = await watch.next()
      if (result.done) return result
      return { done: false, value: { ...result.value, value: map(result.value.value) } }
    },
    async return() {
      await watch.return()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}
