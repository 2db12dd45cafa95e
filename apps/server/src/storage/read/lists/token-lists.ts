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

/** Decoding a page blocks the event loop for about five milliseconds. An aborted scan has read two pages. */
const PAGE_SIZE = 250

/** Lists tokens, a page at a time, each one snapshot, and returned once the local state has reached it. */
export class TokenLists {
  private readonly parts: TokenReaderParts
  private counted: { readonly key: string; readonly answer: Promise<number> } | undefined

  constructor(parts: TokenReaderParts) {
    this.parts = parts
  }

  async *pages(filter: TokenFilter, isStale = false): AsyncGenerator<readonly TokenRecord[]> {
    const { queries, replica } = this.parts
    let left = filter.limit ?? Number.POSITIVE_INFINITY
    const fetch = async (start: ListPosition | undefined, limit: number) => {
      const read = (from: Queries) => from.tokenPage(filter, start, limit)
      const stale = isStale ? await replica?.read(read) : undefined
      // The local state need not reach the replica.
      const page = stale ? { ...stale, index: 0 } : await read(queries)
      return { ...page, isFull: page.value.length === limit }
    }
    const follow = (start: ListPosition | undefined) =>
      left > 0 ? fetch(start, Math.min(left, PAGE_SIZE)) : undefined
    let next = follow(filter.after)
    while (next) {
      const page = await next
      left -= page.value.length
      const last = page.value.at(-1)
      // Prefetch while this page is decoded and used.
      next = last && page.isFull ? follow(placeOfRow(last)) : undefined
      // Its error is thrown when it is awaited, which may never happen.
      next?.catch(() => {})
      // Send the statement before decoding this page blocks the event loop.
      if (next) await nextTurn()
      if (page.value.length > 0) yield await this.take(page, filter.withUnopened)
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

  /** Not cached: a list would evict requested tokens, and the strings of a row retain its whole page. */
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
