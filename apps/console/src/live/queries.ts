import { notifyManager, QueryClient } from '@tanstack/react-query'

// By default, pages hear of changes in a timer. A second click may come before it, and find a button that is not disabled yet.
notifyManager.setScheduler(queueMicrotask)

/** What was read. One person in one namespace has one: nothing of it is for another. */
export function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      // The SDK retries. Lists follow the server by blocking queries, so that nothing grows stale by itself.
      queries: { retry: false, staleTime: 30_000, refetchOnWindowFocus: false },
    },
  })
}
