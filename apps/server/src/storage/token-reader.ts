import { type MaybePromise, type TokenFilter, type TokenRecord, tokenTopic } from '@latchkey/acl'
import type { SecretBox } from '../secrets/secret-box.ts'
import { BatchedLoader } from './batched-loader.ts'
import type { ChangeFollower } from './change-follower.ts'
import { type TokenRow, tokenOfRow } from './decode-rows.ts'
import type { LocalState } from './local-state.ts'
import type { PageStart, Queries, Snapshot } from './queries.ts'
import { readText } from './stored-text.ts'
import type { TokenCache, TokenKeys } from './token-cache.ts'

/** A read of one token on its way, shared by all who ask for it meanwhile. */
interface Load {
  answer: Promise<TokenRecord | undefined>
  /** Index of the last change of the token since the reading began. */
  touchedAt: number
}

/** A page as it was read. */
interface Page {
  readonly rows: readonly TokenRow[]
  /** The index of its snapshot; undefined where it is the replica's. */
  readonly index: number | undefined
  /** Whether more may follow. */
  readonly isFull: boolean
}

const PAGE_SIZE = 1_000

export interface TokenReaderParts {
  readonly queries: Queries
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly secrets: SecretBox
  /** Where `stale` reads look for what is not in memory. */
  readonly replica: Queries | undefined
}

type ReadToken = () => Promise<Snapshot<TokenRow | undefined>>

type FindTokens = (
  queries: Queries,
  keys: readonly string[],
) => Promise<Snapshot<ReadonlyMap<string, TokenRow>>>

const findByAccessor: FindTokens = async (queries, keys) => {
  const { index, value: rows } = await queries.tokensByAccessorKey(keys)
  return { index, value: new Map(rows.map((row) => [readText(row.accessor_id).toLowerCase(), row])) }
}

const findBySecret: FindTokens = async (queries, keys) => {
  const { index, value: rows } = await queries.tokensBySecretHash(keys)
  return { index, value: new Map(rows.map((row) => [row.secret_hash.slice(2), row])) }
}

/**
 * Tokens from the cache, and from the database where the cache does not know.
 *
 * What is read is handed out only when the local state has reached the snapshot it is from, and only if it has not
 * changed since: so a token and the directory that its links point into always belong together, whoever writes
 * meanwhile.
 */
export class TokenReader {
  private readonly parts: TokenReaderParts
  private readonly cache: TokenCache
  private readonly accessors: BatchedLoader<TokenRow>
  private readonly secrets: BatchedLoader<TokenRow>
  private readonly loads = new Map<string, Load>()
  /** The last count, by what it depends on. */
  private counted: { readonly key: string; readonly answer: Promise<number> } | undefined
  readonly counts = { hits: 0, misses: 0, pages: 0, replicaReads: 0 }

  constructor(parts: TokenReaderParts) {
    this.parts = parts
    this.cache = parts.state.tokens
    this.accessors = new BatchedLoader((keys) => findByAccessor(parts.queries, keys))
    this.secrets = new BatchedLoader((keys) => findBySecret(parts.queries, keys))
    parts.state.onTokenChange = (keys, index) => this.noteChange(keys, index)
  }

  /** @param isStale the answer may come from the replica. */
  byAccessor(accessorId: string, isStale = false): MaybePromise<TokenRecord | undefined> {
    const accessorKey = accessorId.toLowerCase()
    // A legacy token without accessor has none to be found by. Spec 9.2.3.
    if (accessorKey === '') return undefined
    const known = this.cache.byAccessorKey(accessorKey)
    if (known) {
      this.counts.hits += 1
      return known.record
    }
    const load = () =>
      this.load(
        accessorLoad(accessorKey),
        () => this.accessors.load(accessorKey),
        () => this.cache.addAbsentAccessor(accessorKey),
      )
    return isStale ? this.loadStale(findByAccessor, accessorKey, load) : load()
  }

  bySecret(secretId: string, isStale = false): MaybePromise<TokenRecord | undefined> {
    const known = this.cache.bySecretId(secretId)
    if (known) {
      this.counts.hits += 1
      return known.record
    }
    const secretHash = this.parts.secrets.lookupHash(secretId).toString('hex')
    const load = () =>
      this.load(
        secretLoad(secretHash),
        () => this.secrets.load(secretHash),
        () => this.cache.addAbsentSecret(secretId, secretHash),
      )
    return isStale ? this.loadStale(findBySecret, secretHash, load) : load()
  }

  async *pages(filter: TokenFilter, isStale = false): AsyncGenerator<readonly TokenRecord[]> {
    const { limit = Number.POSITIVE_INFINITY, after } = filter
    let left = limit
    const fetch = (start: PageStart | undefined) =>
      left > 0 ? this.fetchPage(filter, start, Math.min(left, PAGE_SIZE), isStale) : undefined
    let next = fetch(after && { ...after, secretHash: undefined })
    while (next) {
      const page = await next
      left -= page.rows.length
      const last = page.rows.at(-1)
      // On its way while this page is made into records, and used.
      next = last && page.isFull ? fetch(placeOf(last)) : undefined
      // What goes wrong with it is thrown when it is waited for, which may never be.
      next?.catch(() => {})
      if (page.rows.length > 0) yield await this.take(page)
    }
  }

  /** How many there are. Counted once for all who ask before the next change of a token. */
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

  async expired(now: number, limit: number): Promise<readonly TokenRecord[]> {
    const { index, value: rows } = await this.parts.queries.expiredTokens(now, limit)
    return this.take({ rows, index, isFull: false })
  }

  private async fetchPage(
    filter: TokenFilter,
    start: PageStart | undefined,
    size: number,
    isStale: boolean,
  ): Promise<Page> {
    const read = (queries: Queries) => queries.tokenPage(filter, start, size)
    const fromReplica = isStale ? await this.readReplica(read) : undefined
    const { index, value: rows } = fromReplica ?? (await read(this.parts.queries))
    this.counts.pages += 1
    return { rows, index: fromReplica ? undefined : index, isFull: rows.length === size }
  }

  /** Rows as records. New ones are kept where there is room. */
  private async take({ rows, index }: Page): Promise<readonly TokenRecord[]> {
    if (index === undefined) return rows.map((row) => this.recordOf(row))
    const { state, follower } = this.parts
    await follower.reach(index)
    return rows.map((row) => {
      const secretHash = row.secret_hash.slice(2)
      const cached = this.cache.sameAs(secretHash, row.modify_index)
      if (cached) return cached
      const token = tokenOfRow(row, this.parts.secrets)
      const isCurrent =
        token.AccessorID !== '' && state.topics.changedAfter(tokenTopic(token.AccessorID), index) === false
      if (isCurrent && this.cache.hasRoom) this.cache.add(token, secretHash)
      return token
    })
  }

  private async loadStale(
    find: FindTokens,
    key: string,
    load: () => Promise<TokenRecord | undefined>,
  ): Promise<TokenRecord | undefined> {
    const snapshot = await this.readReplica((replica) => find(replica, [key]))
    if (!snapshot) return load()
    const row = snapshot.value.get(key)
    return row && this.recordOf(row)
  }

  /** What the replica says, if it has all that this process has seen: then the age told for that holds for it, too. */
  private async readReplica<T>(
    read: (queries: Queries) => Promise<Snapshot<T>>,
  ): Promise<Snapshot<T> | undefined> {
    const { replica, state } = this.parts
    if (!replica) return undefined
    const { appliedIndex } = state
    this.counts.replicaReads += 1
    // A replica that is away is nobody's failure: the primary is asked.
    const snapshot = await read(replica).catch(() => undefined)
    return snapshot && snapshot.index >= appliedIndex ? snapshot : undefined
  }

  /** The record of a row: the cached object where it is the same version. */
  private recordOf(row: TokenRow): TokenRecord {
    return (
      this.cache.sameAs(row.secret_hash.slice(2), row.modify_index) ?? tokenOfRow(row, this.parts.secrets)
    )
  }

  private load(key: string, read: ReadToken, rememberAbsence: () => void): Promise<TokenRecord | undefined> {
    const running = this.loads.get(key)
    if (running) return running.answer
    this.counts.misses += 1
    const load: Load = { answer: NOTHING, touchedAt: 0 }
    this.loads.set(key, load)
    load.answer = this.loadCurrent(load, read, rememberAbsence).finally(() => this.loads.delete(key))
    return load.answer
  }

  private async loadCurrent(
    load: Load,
    read: ReadToken,
    rememberAbsence: () => void,
  ): Promise<TokenRecord | undefined> {
    const { follower } = this.parts
    for (;;) {
      const { index, value: row } = await read()
      await follower.reach(index)
      if (load.touchedAt > index) continue
      if (!row) {
        rememberAbsence()
        return undefined
      }
      const token = this.recordOf(row)
      this.cache.add(token, row.secret_hash.slice(2))
      return token
    }
  }

  private noteChange({ accessorKey, secretHash }: TokenKeys, index: number): void {
    if (accessorKey === undefined && secretHash === undefined) {
      for (const load of this.loads.values()) load.touchedAt = index
      return
    }
    const byAccessor = accessorKey === undefined ? undefined : this.loads.get(accessorLoad(accessorKey))
    const bySecret = secretHash === undefined ? undefined : this.loads.get(secretLoad(secretHash))
    if (byAccessor) byAccessor.touchedAt = index
    if (bySecret) bySecret.touchedAt = index
  }
}

const NOTHING = Promise.resolve(undefined)

function accessorLoad(accessorKey: string): string {
  return `accessor:${accessorKey}`
}

function secretLoad(secretHash: string): string {
  return `secret:${secretHash}`
}

/** The place in the list right after a row. */
function placeOf(row: TokenRow): PageStart {
  return {
    createIndex: row.create_index,
    accessorId: readText(row.accessor_id),
    secretHash: row.secret_hash.slice(2),
  }
}
