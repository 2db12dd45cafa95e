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

/**
 * The interval at which a query that has no index to wait for is re-read while the page is visible. After a failure it waits
 * for the person, or until the server is back.
 */
export function everySecond({ state }: { readonly state: { readonly error: Error | null } }): number | false {
  return state.error ? false : 1_000
}
