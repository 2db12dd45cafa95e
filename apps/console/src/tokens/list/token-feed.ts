/**
 * All tokens that the person may see, page by page from the service, and then as they change. The table shows what is
 * here from the first page on. Secrets are dropped as pages arrive: the list never holds one.
 */
import type { Client, TokenListEntry } from '@latchkey/sdk'

/** A token of the list, without its secret. */
export type TokenRow = Omit<TokenListEntry, 'SecretID' | 'Hash'> & {
  /** What the search looks at, in lower case. */
  readonly searched: string
  /** Its ExpirationTime in milliseconds. */
  readonly expiresAt: number | undefined
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
  /** What was loaded is current as of this index. */
  private index: number | undefined

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

  /** Starts again if it has failed, now that the server is back. */
  readonly recover = (): void => {
    if (this.state.error !== undefined && this.listeners.size > 0) this.retry()
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
    // A list that was left and comes back is read again only if it has changed.
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
      await pause(pauseMs, signal)
    }
  }

  /** @returns the index of the first page: whatever changes after it wakes the next wait. */
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
        // What is new shows at once, before a long list has been read again.
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

/** The rows of the first page, and those known before that are older. */
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

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
}
