/** All tokens that the person may see, shown from the first page on. Secrets are dropped when pages arrive. */
import { sleep } from '@latchkey/contract/plain'
import type { Client, TokenListEntry } from '@latchkey/sdk'
import { useEffect, useSyncExternalStore } from 'react'
import { useConnection } from '../../live/connection.ts'
import { usePageVisible } from '../../live/use-live.ts'
import { anonymousClient, useClient } from '../../session/session.ts'

export type TokenRow = Omit<TokenListEntry, 'SecretID' | 'Hash'> & {
  readonly searched: string
  readonly expiresAt: number | undefined
}

interface FeedState {
  /** Newest first. A new array for each change. */
  readonly rows: readonly TokenRow[]
  readonly isComplete: boolean
  readonly error: unknown
}

const FIRST_PAGE = 200
const PAGE = 1_000
/** The table is re-rendered when the list has grown by this factor, so that loading takes linear time. */
const GROWTH = 1.5
/** Minimum pause between two reads of a long, constantly changing list, in milliseconds per page. */
const PAUSE_PER_PAGE_MS = 20
const SORT = { sort: '-CreateIndex' } as const

class TokenFeed {
  readonly client: Client
  private readonly listeners = new Set<() => void>()
  private stop: AbortController | undefined
  private state: FeedState = { rows: [], isComplete: false, error: undefined }
  /** The index at which the loaded list is current. */
  private index: number | undefined

  constructor(client: Client) {
    this.client = client
  }

  readonly get = (): FeedState => this.state

  /** Loads and follows while there are listeners. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    if (this.listeners.size === 1) this.start()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.stop?.abort()
    }
  }

  readonly retry = (): void => {
    if (this.state.error === undefined || this.listeners.size === 0) return
    this.stop?.abort()
    this.start()
  }

  private start(): void {
    this.stop = new AbortController()
    const { signal } = this.stop
    this.publish({ ...this.state, error: undefined })
    this.run(signal).catch((error: unknown) => {
      if (!signal.aborted) this.publish({ ...this.state, error })
    })
  }

  private async run(signal: AbortSignal): Promise<void> {
    // When the person returns to the list, it is read again only if it has changed.
    this.index ??= await this.load(signal)
    const client = this.client.withMeta()
    for (;;) {
      const answer = await client.tokens.list(SORT, { limit: 1, index: this.index, signal })
      if (answer.index === this.index) continue
      const startedAt = performance.now()
      this.index = await this.load(signal)
      const pauseMs = Math.max(
        (this.state.rows.length / PAGE) * PAUSE_PER_PAGE_MS,
        performance.now() - startedAt,
      )
      await sleep(pauseMs, signal)
    }
  }

  /** @returns the index of the first page: any later change ends the next wait. */
  private async load(signal: AbortSignal): Promise<number> {
    const client = this.client.withMeta()
    const known = this.state
    const rows: TokenRow[] = []
    let published = 0
    let cursor: string | undefined
    let index: number | undefined
    do {
      const limit = cursor === undefined ? FIRST_PAGE : PAGE
      const page = await client.tokens.list(SORT, { limit, cursor, signal })
      for (const entry of page.value) rows.push(toRow(entry))
      cursor = page.nextCursor
      if (cursor !== undefined && known.isComplete && index === undefined) {
        // New tokens are shown at once, before a long list has been read again.
        this.publish({ ...known, rows: withNewest(rows, known.rows) })
      } else if (cursor !== undefined && !known.isComplete && rows.length > published * GROWTH) {
        published = rows.length
        this.publish({ rows: [...rows], isComplete: false, error: undefined })
      }
      index ??= page.index
    } while (cursor !== undefined)
    this.publish({ rows, isComplete: true, error: undefined })
    return index ?? 0
  }

  private publish(state: FeedState): void {
    this.state = state
    for (const listener of this.listeners) listener()
  }
}

function withNewest(newest: readonly TokenRow[], known: readonly TokenRow[]): readonly TokenRow[] {
  const oldest = newest.at(-1)?.CreateIndex ?? 0
  const shown = new Set(newest.map(({ AccessorID }) => AccessorID))
  const older = known.filter(({ AccessorID, CreateIndex }) => CreateIndex <= oldest && !shown.has(AccessorID))
  return [...newest, ...older]
}

function toRow({ SecretID: _secret, Hash: _hash, ...token }: TokenListEntry): TokenRow {
  const names = [
    ...(token.Policies ?? []).map(({ Name }) => Name),
    ...(token.Roles ?? []).map(({ Name }) => Name),
    ...(token.ServiceIdentities ?? []).map(({ ServiceName }) => ServiceName),
    ...(token.NodeIdentities ?? []).map(({ NodeName }) => NodeName),
  ]
  const searched = [token.Description, token.AccessorID, token.AuthMethod ?? '', ...names]
    .join('\n')
    .toLowerCase()
  const { ExpirationTime } = token
  const expiresAt = ExpirationTime === undefined ? undefined : Date.parse(ExpirationTime)
  return { ...token, searched, expiresAt }
}

/** The list of the present client, so that a reopened page shows what was loaded. */
let present = new TokenFeed(anonymousClient)

export function useTokenFeed(): FeedState & { readonly retry: () => void } {
  const client = useClient()
  if (present.client !== client) present = new TokenFeed(client)
  const feed = present
  // A hidden tab holds no connection.
  const state = useSyncExternalStore(usePageVisible() ? feed.subscribe : subscribeToNothing, feed.get)
  const { recoveries } = useConnection()
  useEffect(() => {
    if (recoveries > 0) feed.retry()
  }, [feed, recoveries])
  return { ...state, retry: feed.retry }
}

const subscribeToNothing = () => () => {}
