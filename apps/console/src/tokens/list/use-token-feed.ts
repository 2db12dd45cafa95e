import type { Client } from '@latchkey/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import { useConnection } from '../../live/connection.ts'
import { usePageVisible } from '../../live/use-page-visible.ts'
import { useClient } from '../../session/session.ts'
import { type FeedState, TokenFeed } from './token-feed.ts'

/** One list per session, so that a reopened page shows what was loaded. */
const feeds = new WeakMap<Client, TokenFeed>()

export function useTokenFeed(): FeedState & { readonly retry: () => void } {
  const client = useClient()
  let feed = feeds.get(client)
  if (!feed) {
    feed = new TokenFeed(client)
    feeds.set(client, feed)
  }
  // A hidden tab holds no connection.
  const state = useSyncExternalStore(usePageVisible() ? feed.subscribe : subscribeToNothing, feed.get)
  const { recoveries } = useConnection()
  useEffect(() => {
    if (recoveries > 0) feed.recover()
  }, [feed, recoveries])
  return { ...state, retry: feed.retry }
}

const subscribeToNothing = () => () => {}
