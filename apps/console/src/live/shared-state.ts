import { useSyncExternalStore } from 'react'

/** A value outside all components. Components that use it re-render when it changes. */
interface SharedState<T> {
  get(): T
  set(next: T): void
  use(): T
}

export function sharedState<T>(initial: T): SharedState<T> {
  let current = initial
  const listeners = new Set<() => void>()
  const get = () => current
  const subscribe = (listener: () => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  return {
    get,
    set(next) {
      current = next
      for (const listener of listeners) listener()
    },
    use: () => useSyncExternalStore(subscribe, get),
  }
}
