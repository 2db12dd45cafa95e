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
import type { Queries } from '../queries.ts'
import { recordOfRow, type TokenReaderParts } from '../token-reader.ts'

/** A page as read. */
interface Page {
  readonly rows: readonly TokenRow[]
  /** The index of its snapshot; undefined if it came from the replica. */
  readonly index: number | undefined
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
      left -= page.rows.length
      const last = page.rows.at(-1)
      // Prefetch while this page is decoded and used.
      next = last && page.isFull ? fetch(placeOfRow(last)) : undefined
      // Its error is thrown when it is awaited, which may never happen.
      next?.catch(() => {})
      // Send the statement before decoding this page blocks the event loop.
      if (next) await nextTurn()
      if (page.rows.length > 0) yield page
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
    const { index, value } = await this.parts.queries.tokenCount(filter)
    await this.parts.follower.reach(index)
    return value
  }

  async expired(now: number, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    const { index, value: rows } = await this.parts.queries.expiredTokens(now, limit, scope)
    return this.take({ rows, index, isFull: false })
  }

  async orphaned(limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    const { index, value: rows } = await this.parts.queries.orphanedTokens(limit, scope)
    return this.take({ rows, index, isFull: false })
  }

  async idle(idle: IdleQuery, limit: number, scope?: TokenScope): Promise<readonly TokenRecord[]> {
    const { index, value: rows } = await this.parts.queries.idleTokens(idle, limit, scope)
    return this.take({ rows, index, isFull: false })
  }

  async logins(query: LoginQuery): Promise<readonly LoginGroup[]> {
    const { index, value } = await this.parts.queries.logins(query)
    await this.parts.follower.reach(index)
    return value
  }

  async countLogins(): Promise<ReadonlyMap<number, number>> {
    const { index, value } = await this.parts.queries.loginCounts()
    await this.parts.follower.reach(index)
    return new Map(Object.entries(value).map(([generation, count]) => [Number(generation), count]))
  }

  reapUses(): Promise<void> {
    return this.parts.queries.reapUses()
  }

  private async fetchPage(
    filter: TokenFilter,
    start: ListPosition | undefined,
    { isStale, limit }: PageOptions & { readonly limit: number },
  ): Promise<Page> {
    const read = (queries: Queries) => queries.tokenPage(filter, start, limit)
    const fromReplica = isStale ? await this.parts.replica?.read(read) : undefined
    const { index, value: rows } = fromReplica ?? (await read(this.parts.queries))
    return { rows, index: fromReplica ? undefined : index, isFull: rows.length === limit }
  }

  /**
   * Decodes rows. They are not cached: a list would fill the cache with tokens that were not requested, and the
   * strings of one row retain the text of its whole page.
   */
  private async take({ rows, index }: Page, withUnopened = false): Promise<readonly TokenRecord[]> {
    if (index !== undefined) await this.parts.follower.reach(index)
    const decode = withUnopened ? tokenOfAnyRow : tokenOfRow
    return rows.map((row) => recordOfRow(row, this.parts, decode))
  }
}

function placeOfRow(row: TokenRow): ListPosition {
  const place = { createIndex: row.createIndex, accessorId: row.accessorId }
  return place.accessorId === '' ? { ...place, tie: row.secretHash } : place
}
