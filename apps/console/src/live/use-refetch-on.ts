import { type QueryKey, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { usePageVisible } from './use-page-visible.ts'

interface WaitOptions {
  readonly limit: 1
  readonly signal: AbortSignal
  /** Absent: returns at once. */
  readonly index?: number
}

/** A blocking query of a list, such as `(options) => client.withMeta().roles.list({}, options)`. */
type Wait = (options: WaitOptions) => Promise<{ readonly index?: number | undefined }>

/** Minimum pause between two reads of a constantly changing list. After a slow query, the pause is as long as the query took. */
const PAUSE_MS = 300
const FAILED_PAUSE_MS = 3_000

/** Refetches a query when a list changes: for results that are not a list that `useLive` could follow. */
export function useRefetchOn(key: QueryKey, wait: Wait): void {
  const queries = useQueryClient()
  // A hidden tab holds no connection.
  const isVisible = usePageVisible()
  const hash = JSON.stringify(key)
  // The hash represents both the key and `wait`.
  useEffect(() => {
    if (!isVisible) return
    const stop = new AbortController()
    void follow(stop.signal)
    return () => stop.abort()

    async function follow(signal: AbortSignal): Promise<void> {
      let index: number | undefined
      while (!signal.aborted) {
        const seen = await wait({ limit: 1, signal, ...(index === undefined ? {} : { index }) }).then(
          (answer) => answer.index,
          () => undefined,
        )
        if (signal.aborted) return
        // Also after the first answer: the list may have changed since the query was read.
        const begin = performance.now()
        if (seen !== index) await queries.invalidateQueries({ queryKey: key, exact: true })
        index = seen
        const pauseMs = Math.max(PAUSE_MS, performance.now() - begin)
        await new Promise((resolve) => setTimeout(resolve, seen === undefined ? FAILED_PAUSE_MS : pauseMs))
      }
    }
  }, [isVisible, hash])
}
