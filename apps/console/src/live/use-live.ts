/** Records that follow the server: a first read, then blocking queries while a component shows them. */
import type { Client, Watch, WatchOptions } from '@latchkey/sdk'
import { type QueryKey, type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { useClient } from '../session/session.ts'
import { useConnection } from './connection.ts'

interface Seen<T> {
  readonly value: T
  /** `undefined`: the server gave none. */
  readonly index: number | undefined
}

/** Starts a watch, such as `(client, options) => client.policies.watchList(options)`. */
export type Open<T> = (
  client: Client,
  options: Pick<WatchOptions, 'signal' | 'index' | 'retries'>,
) => Watch<T>

/** After this many retries of the first read, the person is told about the failure. */
const FIRST_RETRIES = 2

/** One blocking query per key, however many components show it: a browser opens only six connections to a server. */
const followers = new Map<string, { users: number; readonly stop: AbortController }>()

/** Reads what `key` identifies, and follows it while the component is mounted: a hidden tab holds no connection. */
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
    queryFn: ({ signal }) => first((options) => open(client, options), signal),
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
        for await (const { value, index: at } of open(
          client,
          index === undefined ? { signal } : { signal, index },
        )) {
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

async function first<T>(
  open: (options: Parameters<Open<T>>[1]) => Watch<T>,
  signal: AbortSignal,
): Promise<Seen<T>> {
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

/** The same watch with `null` for a missing record: a query may not have the value `undefined`. */
export function watchOrNull<T>(watch: Watch<T | undefined>): Watch<T | null> {
  return mapWatch(watch, (value) => value ?? null)
}

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

function onVisibilityChange(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener)
  return () => document.removeEventListener('visibilitychange', listener)
}

export function usePageVisible(): boolean {
  return useSyncExternalStore(onVisibilityChange, () => document.visibilityState === 'visible')
}

/** A blocking query of a list, such as `(client, options) => client.roles.list({}, options)`; without an index, a read. */
type Wait = (
  client: Client<'meta'>,
  options: { readonly signal: AbortSignal; readonly index?: number },
) => Promise<{ readonly index?: number | undefined }>

/** Minimum pause between two reads of a constantly changing list. After a slow query, the pause is as long as the query took. */
const PAUSE_MS = 300
const FAILED_PAUSE_MS = 3_000

/** Refetches a query when a list changes: for results that are not a list that `useLive` could follow. */
export function useRefetchOn(key: QueryKey, wait: Wait, isEnabled = true): void {
  const queries = useQueryClient()
  const client = useClient().withMeta()
  // A hidden tab holds no connection.
  const isVisible = usePageVisible() && isEnabled
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
        const seen = await wait(client, { signal, ...(index === undefined ? {} : { index }) }).then(
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

/** The record, or its last version if it is deleted (`null`) while its form is open. `undefined`: not read yet. */
export function useCached<T>(record: T | null | undefined, isEdited: boolean): T | null | undefined {
  const [last, setLast] = useState(record)
  if (record !== null && record !== last) setLast(() => record)
  return record === null && isEdited ? (last ?? null) : record
}

/** Whether a condition was ever true: somebody who lost a right keeps the open form. */
export function useOnce(isNow: boolean): boolean {
  const [was, setWas] = useState(isNow)
  if (isNow && !was) setWas(true)
  return isNow || was
}
