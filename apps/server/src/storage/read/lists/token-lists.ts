import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TokenRecord } from '@latchkey/acl'
import type {
  IdleQuery,
  ListPosition,
  LoginGroup,
  LoginQuery,
  TokenFilter,
  TokenScope,
} from '@latchkey/service'
import { type TokenRow, tokenOfAnyRow, tokenOfRow } from '../../token-table.ts'
import type { Queries, Snapshot } from '../queries.ts'
import { recordOfRow, type TokenReaderParts } from '../token-reader.ts'

/** A page as read. Its index is 0 if it came from the replica. */
interface Page extends Snapshot<readonly TokenRow[]> {
  /** Whether more may follow. */
  readonly isFull: boolean
}

interface PageOptions {
  /** Pages may come from the replica. */
  readonly isStale: boolean
}

/** Decoding a page blocks the event loop for about five milliseconds. An aborted scan has read two pages. */
const PAGE_SIZE = 250

/**
 * Lists tokens from the database, a page at a time; each page is one snapshot. As in the token reader, a page is
 * returned once the local state has reached its snapshot.
 */
export class TokenLists {
  private readonly parts: TokenReaderParts
  /** The last count, with a key of what it depends on. */
  private counted: { readonly key: string; readonly answer: Promise<number> } | undefined

  constructor(parts: TokenReaderParts) {
    this.parts = parts
  }

  /** @param isStale pages may come from the replica. */
  async *pages(filter: TokenFilter, isStale = false): AsyncGenerator<readonly TokenRecord[]> {
    for await (const page of this.rowPages(filter, { isStale }))
      yield await this.take(page, filter.withUnopened)
  }

  private async *rowPages(filter: TokenFilter, options: PageOptions): AsyncGenerator<Page> {
    const { limit = Number.POSITIVE_INFINITY, after } = filter
    let left = limit
    const fetch = (start: ListPosition | undefined) =>
      left > 0 ? this.fetchPage(filter, start, { ...options, limit: Math.min(left, PAGE_SIZE) }) : undefined
    let next = fetch(after)
    while (next) {
      const page = await next
      left -= page.value.length
      const last = page.value.at(-1)
      // Prefetch while this page is decoded and used.
      next = last && page.isFull ? fetch(placeOfRow(last)) : undefined
      // Its error is thrown when it is awaited, which may never happen.
      next?.catch(() => {})
      // Send the statement before decoding this page blocks the event loop.
      if (next) await nextTurn()
      if (page.value.length > 0) yield page
    }
  }

  /** Tokens without an accessor that one commit created are ordered by their lookup hashes. */
  placeOf({ CreateIndex, AccessorID, SecretID }: TokenRecord): ListPosition {
    const place = { createIndex: CreateIndex, accessorId: AccessorID }
    if (AccessorID !== '') return place
    return { ...place, tie: this.parts.secrets.lookupHash(SecretID) }
  }

  /** Counts matching tokens. Until the next change of a token, all callers share one count. */
  count(filter: TokenFilter): Promise<number> {
    const key = `${this.parts.state.topics.table('tokens')} ${JSON.stringify(filter)}`
    if (this.counted?.key === key) return this.counted.answer
    const answer = this.countNow(filter)
    this.counted = { key, answer }
    answer.catch(() => {
      if (this.counted?.answer === answer) this.counted = undefined
    })
    return answer
  }

  private async countNow(filter: TokenFilter): Promise<number> {
    return this.reached(await this.parts.queries.tokenCount(filter))
  }

  async expired(now: number, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.take(await this.parts.queries.expiredTokens(now, limit, scope))
  }

  async orphaned(limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.take(await this.parts.queries.orphanedTokens(limit, scope))
  }

  async idle(idle: IdleQuery, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    return this.take(await this.parts.queries.idleTokens(idle, limit, scope))
  }

  async logins(query: LoginQuery): Promise<readonly LoginGroup[]> {
    return this.reached(await this.parts.queries.logins(query))
  }

  async countLogins(): Promise<ReadonlyMap<number, number>> {
    const counts = await this.reached(await this.parts.queries.loginCounts())
    return new Map(Object.entries(counts).map(([generation, count]) => [Number(generation), count]))
  }

  private async reached<T>({ index, value }: Snapshot<T>): Promise<T> {
    await this.parts.follower.reach(index)
    return value
  }

  private async fetchPage(
    filter: TokenFilter,
    start: ListPosition | undefined,
    { isStale, limit }: PageOptions & { readonly limit: number },
  ): Promise<Page> {
    const read = (queries: Queries) => queries.tokenPage(filter, start, limit)
    const fromReplica = isStale ? await this.parts.replica?.read(read) : undefined
    const { index, value: rows } = fromReplica ?? (await read(this.parts.queries))
    return { value: rows, index: fromReplica ? 0 : index, isFull: rows.length === limit }
  }

  /**
   * Decodes rows. They are not cached: a list would fill the cache with tokens that were not requested, and the
   * strings of one row retain the text of its whole page.
   */
  private async take(
    page: Snapshot<readonly TokenRow[]>,
    withUnopened = false,
  ): Promise<readonly TokenRecord[]> {
    const decode = withUnopened ? tokenOfAnyRow : tokenOfRow
    return (await this.reached(page)).map((row) => recordOfRow(row, this.parts, decode))
  }
}

function placeOfRow(row: TokenRow): ListPosition {
  const place = { createIndex: row.createIndex, accessorId: row.accessorId }
  return place.accessorId === '' ? { ...place, tie: row.secretHash } : place
}
