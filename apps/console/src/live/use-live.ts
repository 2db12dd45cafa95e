/** Records that follow the server: a first read, then blocking queries while a component shows them. */
import type { Watch, WatchOptions } from '@latchkey/sdk'
import { type QueryKey, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useClient } from '../session/session.ts'
import { useConnection } from './connection.ts'
import { usePageVisible } from './use-page-visible.ts'

/** A value and the index at which it was current. */
interface Seen<T> {
  readonly value: T
  /** `undefined`: the server gave none. */
  readonly index: number | undefined
}

type Open<T> = (options: Pick<WatchOptions, 'signal' | 'index' | 'retries'>) => Watch<T>

/** After this many retries of the first read, the person is told about the failure. */
const FIRST_RETRIES = 2

interface Follower {
  users: number
  readonly stop: AbortController
}

/** One blocking query per key, however many components show it: a browser opens only six connections to a server. */
const followers = new Map<string, Follower>()

/**
 * Reads a record or list, and follows it while the component is mounted and the tab is visible. A hidden tab holds no
 * connection, and catches up when it becomes visible.
 *
 * @param key identifies what `open` watches.
 * @param open starts the watch, such as `(options) => client.policies.watchList(options)`.
 */
export function useLive<T>(
  key: QueryKey,
  open: Open<T>,
  { enabled = true }: { readonly enabled?: boolean } = {},
): UseQueryResult<T> {
  const queries = useQueryClient()
  const isVisible = usePageVisible()
  // A watch that paused after failures restarts as soon as the server is back.
  const { recoveries } = useConnection()
  // It also restarts when another token replaces one that ended.
  const client = useClient()
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => first(open, signal),
    select: (seen: Seen<T>) => seen.value,
    enabled,
  })
  const hash = JSON.stringify(key)
  const follows = enabled && isVisible && query.isSuccess
  // The hash represents both the key and `open`, which the key identifies.
  useEffect(() => {
    if (!follows) return
    const follower = followers.get(hash) ?? { users: 0, stop: new AbortController() }
    follower.users += 1
    if (follower.users === 1) {
      followers.set(hash, follower)
      void follow()
    }
    return () => {
      follower.users -= 1
      if (follower.users > 0) return
      followers.delete(hash)
      follower.stop.abort()
    }

    async function follow(): Promise<void> {
      const { signal } = follower.stop
      const index = queries.getQueryData<Seen<T>>(key)?.index
      try {
        for await (const { value, index: at } of open(index === undefined ? { signal } : { signal, index })) {
          queries.setQueryData<Seen<T>>(key, { value, index: at })
        }
      } catch {
        // The query below retries, and shows the failure.
        if (!signal.aborted) await queries.invalidateQueries({ queryKey: key, exact: true })
      }
    }
  }, [follows, hash, recoveries, client])
  return query
}

async function first<T>(open: Open<T>, signal: AbortSignal): Promise<Seen<T>> {
  const own = new AbortController()
  signal.addEventListener('abort', () => own.abort(signal.reason), { once: true })
  try {
    for await (const { value, index } of open({ signal: own.signal, retries: FIRST_RETRIES }))
      return { value, index }
  } finally {
    own.abort()
  }
  throw signal.reason
}
