import { type TokenFilter, type TokenRecord, tokenTopic } from '@latchkey/acl'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { ChangeFollower } from './change-follower.ts'
import { type TokenRow, tokenOfRow } from './decode-rows.ts'
import type { LocalState } from './local-state.ts'
import type { PageStart, Queries, Snapshot } from './queries.ts'
import type { TokenCache, TokenKeys } from './token-cache.ts'

/** A read of one token on its way, shared by all who ask for it meanwhile. */
interface Load {
  answer: Promise<TokenRecord | undefined>
  /** Index of the last change of the token since the reading began. */
  touchedAt: number
}

const PAGE_SIZE = 1_000

export interface TokenReaderParts {
  readonly queries: Queries
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly secrets: SecretBox
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
  private readonly loads = new Map<string, Load>()
  readonly counts = { hits: 0, misses: 0, pages: 0 }

  constructor(parts: TokenReaderParts) {
    this.parts = parts
    this.cache = parts.state.tokens
    parts.state.onTokenChange = (keys, index) => this.noteChange(keys, index)
  }

  byAccessor(accessorId: string): TokenRecord | undefined | Promise<TokenRecord | undefined> {
    const accessorKey = accessorId.toLowerCase()
    // A legacy token without accessor has none to be found by. Spec 9.2.3.
    if (accessorKey === '') return undefined
    const known = this.cache.byAccessorKey(accessorKey)
    if (known) {
      this.counts.hits += 1
      return known.record
    }
    return this.load(
      accessorLoad(accessorKey),
      () => this.parts.queries.tokenByAccessorKey(accessorKey),
      () => this.cache.addAbsentAccessor(accessorKey),
    )
  }

  bySecret(secretId: string): TokenRecord | undefined | Promise<TokenRecord | undefined> {
    const known = this.cache.bySecretId(secretId)
    if (known) {
      this.counts.hits += 1
      return known.record
    }
    const secretHash = this.parts.secrets.lookupHash(secretId).toString('hex')
    return this.load(
      secretLoad(secretHash),
      () => this.parts.queries.tokenBySecretHash(secretHash),
      () => this.cache.addAbsentSecret(secretId, secretHash),
    )
  }

  async *pages(filter: TokenFilter): AsyncGenerator<readonly TokenRecord[]> {
    let left = filter.limit ?? Number.POSITIVE_INFINITY
    let after: PageStart | undefined = filter.after && { ...filter.after, secretHash: undefined }
    while (left > 0) {
      const size = Math.min(left, PAGE_SIZE)
      const page = await this.parts.queries.tokenPage(filter, after, size)
      const { rows, tokens } = await this.take(page)
      this.counts.pages += 1
      if (tokens.length > 0) yield tokens
      const last = rows.at(-1)
      if (!last || rows.length < size) return
      left -= rows.length
      after = {
        createIndex: last.create_index,
        accessorId: tokens.at(-1)?.AccessorID ?? '',
        secretHash: last.secret_hash.slice(2),
      }
    }
  }

  async expired(now: number, limit: number): Promise<readonly TokenRecord[]> {
    const { tokens } = await this.take(await this.parts.queries.expiredTokens(now, limit))
    return tokens
  }

  /** Rows as records: the cached object where it is the same version. New ones are kept where there is room. */
  private async take({
    index,
    value: rows,
  }: Snapshot<readonly TokenRow[]>): Promise<{ rows: readonly TokenRow[]; tokens: readonly TokenRecord[] }> {
    const { state, follower, secrets } = this.parts
    await follower.reach(index)
    const tokens = rows.map((row) => {
      const secretHash = row.secret_hash.slice(2)
      const cached = this.cache.sameAs(secretHash, row.modify_index)
      if (cached) return cached
      const token = tokenOfRow(row, secrets)
      const isCurrent =
        token.AccessorID !== '' && state.topics.changedAfter(tokenTopic(token.AccessorID), index) === false
      if (isCurrent && this.cache.hasRoom) this.cache.add(token, secretHash)
      return token
    })
    return { rows, tokens }
  }

  private load(
    key: string,
    read: () => Promise<Snapshot<TokenRow | null>>,
    rememberAbsence: () => void,
  ): Promise<TokenRecord | undefined> {
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
    read: () => Promise<Snapshot<TokenRow | null>>,
    rememberAbsence: () => void,
  ): Promise<TokenRecord | undefined> {
    const { follower, secrets } = this.parts
    for (;;) {
      const { index, value: row } = await read()
      await follower.reach(index)
      if (load.touchedAt > index) continue
      if (!row) {
        rememberAbsence()
        return undefined
      }
      const secretHash = row.secret_hash.slice(2)
      const cached = this.cache.sameAs(secretHash, row.modify_index)
      if (cached) return cached
      const token = tokenOfRow(row, secrets)
      this.cache.add(token, secretHash)
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
