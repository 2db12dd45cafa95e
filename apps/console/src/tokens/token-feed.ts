/**
 * All tokens that the person may see, page by page from the service, and then as they change. The table shows what is
 * here from the first page on. Secrets are dropped as pages arrive: the list never holds one.
 */
import type { Client, TokenListEntry } from '@latchkey/sdk'

/** A token of the list, without its secret. */
export type TokenRow = Omit<TokenListEntry, 'SecretID' | 'Hash'> & {
  /** What the search looks at, in lower case. */
  readonly searched: string
}

export interface FeedState {
  /** Newest first. A new array for each change. */
  readonly rows: readonly TokenRow[]
  /** Whether the last page has arrived at least once. */
  readonly isComplete: boolean
  readonly error: unknown
}

const FIRST_PAGE = 200
const PAGE = 1_000
/** The table is rendered again when the list has grown by this factor, so that loading costs linear time. */
const GROWTH = 1.5
/** Least pause between two looks at a long list that changes all the time, in milliseconds per page. */
const PAUSE_PER_PAGE_MS = 20
const SORT = { sort: '-CreateIndex' } as const

export class TokenFeed {
  private readonly client: Client
  private readonly listeners = new Set<() => void>()
  private stop: AbortController | undefined
  private state: FeedState = { rows: [], isComplete: false, error: undefined }

  constructor(client: Client) {
    this.client = client
  }

  readonly get = (): FeedState => this.state

  /** Loads and follows while anyone listens. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener)
    if (this.listeners.size === 1) this.start()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.stop?.abort()
    }
  }

  /** Starts again after a failure. */
  readonly retry = (): void => {
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
    let index = await this.load(signal)
    const client = this.client.withMeta()
    for (;;) {
      const answer = await client.tokens.list(SORT, { limit: 1, index, signal })
      if (answer.index === index) continue
      const startedAt = performance.now()
      index = await this.load(signal)
      const pauseMs = Math.max(
        (this.state.rows.length / PAGE) * PAUSE_PER_PAGE_MS,
        performance.now() - startedAt,
      )
      await pause(pauseMs, signal)
    }
  }

  /** @returns the index of the first page: whatever changes after it wakes the next wait. */
  private async load(signal: AbortSignal): Promise<number> {
    const client = this.client.withMeta()
    const rows: TokenRow[] = []
    let published = 0
    let cursor: string | undefined
    let index: number | undefined
    const isFirst = !this.state.isComplete
    do {
      const limit = cursor === undefined && isFirst ? FIRST_PAGE : PAGE
      const page = await client.tokens.list(SORT, { limit, cursor, signal })
      index ??= page.index
      for (const entry of page.value) rows.push(toRow(entry))
      cursor = page.nextCursor
      if (isFirst && cursor !== undefined && rows.length > published * GROWTH) {
        published = rows.length
        this.publish({ rows: [...rows], isComplete: false, error: undefined })
      }
    } while (cursor !== undefined)
    this.publish({ rows, isComplete: true, error: undefined })
    return index ?? 0
  }

  private publish(state: FeedState): void {
    this.state = state
    for (const listener of this.listeners) listener()
  }
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
  return { ...token, searched }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
