import type { TokenRecord } from '@latchkey/acl'
import { ownText } from '@latchkey/contract'
import { type KnownToken, tokenTopic } from '@latchkey/service'
import type { SecretBox } from '../../secrets/secret-box.ts'
import { Batches } from '../batches.ts'
import type { ChangeFollower } from '../follow/change-follower.ts'
import type { LocalState } from '../follow/local-state.ts'
import { ownRecord, type TokenRow, tokenOfRow } from '../token-table.ts'
import type { TokenCache } from './caches.ts'
import type { Queries, Snapshot } from './queries.ts'

export interface TokenReaderParts {
  readonly queries: Queries
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly secrets: SecretBox
  readonly replica: ReplicaReads | undefined
}

const NO_TOKEN: KnownToken = { record: undefined }

type ReadToken = () => Promise<Snapshot<TokenRow | undefined>>

type FindTokens = (
  queries: Queries,
  keys: readonly string[],
) => Promise<Snapshot<ReadonlyMap<string, TokenRow>>>

const findByAccessor: FindTokens = async (queries, keys) => {
  const { index, value: rows } = await queries.tokensByAccessorKey(keys)
  return { index, value: new Map(rows.map((row) => [row.accessorId.toLowerCase(), row])) }
}

const findBySecret: FindTokens = async (queries, keys) => {
  const { index, value: rows } = await queries.tokensBySecretHash(keys)
  return { index, value: new Map(rows.map((row) => [row.secretHash, row])) }
}

function batchesOf(queries: Queries, find: FindTokens): Batches<string, Snapshot<TokenRow | undefined>> {
  return new Batches(async (keys) => {
    const { index, value } = await find(queries, keys)
    return keys.map((key) => ({ index, value: value.get(key) }))
  })
}

/**
 * Reads tokens from the cache, then from the database. A token is returned only once the local state has reached its
 * snapshot, and only if it has not changed since: it always matches the directory that its links point to.
 */
export class TokenReader {
  private readonly parts: TokenReaderParts
  private readonly cache: TokenCache
  private readonly accessors: Batches<string, Snapshot<TokenRow | undefined>>
  private readonly secrets: Batches<string, Snapshot<TokenRow | undefined>>
  readonly counts = { hits: 0, misses: 0 }

  constructor(parts: TokenReaderParts) {
    this.parts = parts
    this.cache = parts.state.tokens
    this.accessors = batchesOf(parts.queries, findByAccessor)
    this.secrets = batchesOf(parts.queries, findBySecret)
  }

  knownByAccessor(accessorId: string): KnownToken | undefined {
    // A legacy token without an accessor cannot be found by one. Spec 9.2.3.
    if (accessorId === '') return NO_TOKEN
    return this.counted(this.cache.byAccessorKey(accessorId.toLowerCase()))
  }

  knownBySecret(secretId: string): KnownToken | undefined {
    return this.counted(this.cache.bySecretId(secretId))
  }

  private counted(known: KnownToken | undefined): KnownToken | undefined {
    if (known) this.counts.hits += 1
    return known
  }

  async byAccessor(accessorId: string, isStale = false): Promise<TokenRecord | undefined> {
    const known = this.knownByAccessor(accessorId)
    if (known) return known.record
    const accessorKey = accessorId.toLowerCase()
    const load = () =>
      this.load(
        () => this.accessors.add(accessorKey),
        () => this.cache.addAbsentAccessor(accessorKey),
      )
    return isStale ? this.loadStale(findByAccessor, accessorKey, load) : load()
  }

  async bySecret(secretId: string, isStale = false): Promise<TokenRecord | undefined> {
    const known = this.knownBySecret(secretId)
    if (known) return known.record
    const secretHash = this.parts.secrets.lookupHash(secretId)
    const load = () =>
      this.load(
        () => this.secrets.add(secretHash),
        () => this.cache.addAbsentSecret(secretId, secretHash),
      )
    return isStale ? this.loadStale(findBySecret, secretHash, load) : load()
  }

  private async loadStale(
    find: FindTokens,
    key: string,
    load: () => Promise<TokenRecord | undefined>,
  ): Promise<TokenRecord | undefined> {
    const snapshot = await this.parts.replica?.read((replica) => find(replica, [key]))
    if (!snapshot) return load()
    const row = snapshot.value.get(key)
    return row && recordOfRow(row, this.parts)
  }

  private async load(read: ReadToken, rememberAbsence: () => void): Promise<TokenRecord | undefined> {
    const { follower, state } = this.parts
    this.counts.misses += 1
    for (;;) {
      const { index, value: row } = await read()
      await follower.reach(index)
      const isLatest = state.topics.table('tokens') <= index
      if (!row) {
        if (isLatest) rememberAbsence()
        return undefined
      }
      // A legacy token without an accessor has no topic, and no links that could have changed.
      const { accessorId } = row
      if (accessorId !== '' && state.topics.changedAfter(tokenTopic(accessorId), index) !== false) continue
      const token = ownRecord(recordOfRow(row, this.parts))
      if (accessorId !== '' || isLatest) this.cache.add(token, ownText(row.secretHash))
      return token
    }
  }
}

/** The record of a row: the cached object if it is the same version. */
export function recordOfRow(
  row: TokenRow,
  { state, secrets }: Pick<TokenReaderParts, 'state' | 'secrets'>,
  decode: (row: TokenRow, secrets: SecretBox) => TokenRecord = tokenOfRow,
): TokenRecord {
  return state.tokens.sameAs(row.secretHash, row.modifyIndex) ?? decode(row, secrets)
}

export class ReplicaReads {
  private readonly queries: Queries
  private readonly state: LocalState
  count = 0

  constructor(queries: Queries, state: LocalState) {
    this.queries = queries
    this.state = state
  }

  /**
   * Reads from the replica, unless it is unreachable or lags behind what this process has seen: the reported age of
   * the local state must also apply to its answers.
   */
  async read<T>(read: (queries: Queries) => Promise<Snapshot<T>>): Promise<Snapshot<T> | undefined> {
    const { appliedIndex } = this.state
    this.count += 1
    const snapshot = await read(this.queries).catch(() => undefined)
    return snapshot && snapshot.index >= appliedIndex ? snapshot : undefined
  }
}
