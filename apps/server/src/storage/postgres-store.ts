import type {
  Change,
  ConsistencyMode,
  Directory,
  Freshness,
  KvRecord,
  Store,
  TableName,
  TokenFilter,
  TokenRecord,
  Topic,
  WaitOutcome,
} from '@latchkey/acl'
import type { ChangeFollower } from './change-follower.ts'
import type { CommitQueue } from './commit-queue.ts'
import { kvOfRow } from './decode-rows.ts'
import type { LocalState } from './local-state.ts'
import type { Queries } from './queries.ts'
import type { TokenReader } from './token-reader.ts'

export interface StoreParts {
  readonly queries: Queries
  readonly state: LocalState
  readonly follower: ChangeFollower
  readonly tokens: TokenReader
  readonly commits: CommitQueue
}

/** The port, put together from its parts. Which promise each method keeps is said there. */
export class PostgresStore implements Store {
  private readonly parts: StoreParts

  constructor(parts: StoreParts) {
    this.parts = parts
  }

  async refresh(mode: ConsistencyMode): Promise<Freshness> {
    const { follower } = this.parts
    if (mode === 'stale') {
      return { knownLeader: true, lastContactMs: Math.round(performance.now() - follower.currentAt) }
    }
    await follower.sync()
    return { knownLeader: true, lastContactMs: 0 }
  }

  directory(): Directory {
    return this.parts.state.directory()
  }

  tableIndex(table: TableName): number {
    return this.parts.state.topics.table(table)
  }

  tokenByAccessor(accessorId: string): TokenRecord | undefined | Promise<TokenRecord | undefined> {
    return this.parts.tokens.byAccessor(accessorId)
  }

  tokenBySecret(secretId: string): TokenRecord | undefined | Promise<TokenRecord | undefined> {
    return this.parts.tokens.bySecret(secretId)
  }

  tokens(filter: TokenFilter): AsyncIterable<readonly TokenRecord[]> {
    return this.parts.tokens.pages(filter)
  }

  expiredTokens(now: number, limit: number): Promise<readonly TokenRecord[]> {
    return this.parts.tokens.expired(now, limit)
  }

  async kvEntry(namespace: string, key: string): Promise<KvRecord | undefined> {
    const { queries, follower } = this.parts
    const { index, value: row } = await queries.kvEntry(namespace, key)
    await follower.reach(index)
    return row ? kvOfRow(row) : undefined
  }

  async kvEntries(namespace: string, prefix: string): Promise<readonly KvRecord[]> {
    const { queries, follower } = this.parts
    const { index, value: rows } = await queries.kvEntries(namespace, prefix)
    await follower.reach(index)
    return rows.map(kvOfRow)
  }

  commit(changes: readonly Change[]): Promise<number> {
    return this.parts.commits.commit(changes)
  }

  async wait(topic: Topic, after: number, timeoutMs: number, signal?: AbortSignal): Promise<WaitOutcome> {
    const { topics, waiters } = this.parts.state
    if (signal?.aborted) return 'aborted'
    // Not remembered is taken as changed: the caller looks again, and waits from the index it then sees.
    if (topics.changedAfter(topic, after) ?? true) return 'changed'
    return waiters.add(topic, timeoutMs, signal)
  }
}
