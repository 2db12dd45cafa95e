import { notifyManager, QueryClient } from '@tanstack/react-query'

// By default, updates reach pages in a timer. A second click may come first, and find a button that is not disabled yet.
notifyManager.setScheduler(queueMicrotask)

/** Cached reads of one person in one namespace; never shared with another. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The SDK retries. Blocking queries keep lists current, so nothing becomes stale on its own.
      queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false },
    },
  })
}

/** Re-reads what has no index to wait for every second while the page is visible; after a failure, the person retries. */
export function everySecond({ state }: { readonly state: { readonly error: Error | null } }): number | false {
  return state.error ? false : 1_000
}
