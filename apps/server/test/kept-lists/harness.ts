/** A database of tokens, and the lists of processes that keep them in one folder. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PolicyRecord, TokenRecord } from '@latchkey/acl'
import type { Change, Store, TokenListRequest } from '@latchkey/service'
import { aPolicy, aToken } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import type { KeyRing } from '../../src/secrets/key-ring.ts'
import type { TokenDigests } from '../../src/storage/postgres-store.ts'
import { CachedTokenLists } from '../../src/token-lists/cached-token-lists.ts'
import { KeptLists } from '../../src/token-lists/kept/kept-lists.ts'
import { createTestDatabase } from '../database.ts'
import { openTestStore, putNew, testRing } from '../store.ts'

/** Tokens at the start of each test. */
export const COUNT = 1_800
/** Tokens of one commit share their index. */
export const COMMIT_SIZE = 40
/** The policy that all tokens link. */
export const POLICY = aPolicy({ Name: 'shown' })

interface Options {
  readonly keys?: KeyRing
  readonly path?: string
  /** The maximum size of all files together. */
  readonly filesMax?: number
  /** The size of the cache. Lists larger than half of it and than 4 MiB are streamed. */
  readonly cacheBytes?: number
  readonly digests?: TokenDigests
  readonly pauseMs?: number
  readonly bytesMin?: number
}

export async function openKeptLists() {
  const database = await createTestDatabase()
  // It caches nothing, so manual changes are visible.
  const store = await openTestStore({ url: database.url, cacheBytes: 0 })
  const sql = new pg.Client({ connectionString: database.url })
  await sql.connect()
  afterAll(() => sql.end())
  const ring = testRing('test')
  const log = pino(
    { level: 'warn' },
    { write: (line: string) => state.warnings.push((JSON.parse(line) as { readonly msg: string }).msg) },
  )
  const started: CachedTokenLists[] = []
  const state = {
    /** The rows of the database at the start of the test. */
    records: [] as TokenRecord[],
    folder: '',
    /** Logged lines. */
    warnings: [] as string[],
    /** Number of tokens read from the database. */
    tokensRead: 0,
  }

  async function* counting<P>(pages: AsyncIterable<P>, tokensOf: (page: P) => number): AsyncGenerator<P> {
    for await (const page of pages) {
      state.tokensRead += tokensOf(page)
      yield page
    }
  }
  const counted: Store = Object.create(store, {
    tokens: {
      value: (...of: Parameters<Store['tokens']>) => counting(store.tokens(...of), ({ length }) => length),
    },
  })
  const digests: TokenDigests = {
    digestedPages: (...of) =>
      counting(store.tokenDigests.digestedPages(...of), ({ tokens }) => tokens.length),
    chunks: (...question) => store.tokenDigests.chunks(...question),
  }

  const put = async (...changes: readonly Change[]): Promise<void> => {
    await store.commit(changes)
    await store.refresh('consistent')
  }

  /** The lists of a process that starts. */
  const start = ({ keys = ring, path = state.folder, ...options }: Options = {}): CachedTokenLists => {
    const kept = new KeptLists({
      folder: path,
      bytesMax: options.filesMax ?? 100_000_000,
      ring: keys,
      store: counted,
      digests,
      log,
      bytesMin: 1,
      pauseMs: 0,
      delayMs: 0,
      ...options,
    })
    const lists = new CachedTokenLists(options.cacheBytes ?? 100_000_000, kept)
    started.push(lists)
    return lists
  }

  const request = (fields: Partial<TokenListRequest> = {}): TokenListRequest => {
    const directory = store.directory()
    const now = fields.now ?? Date.parse('2026-02-01T00:00:00Z')
    return {
      filter: { namespace: 'default' },
      secrets: 'all',
      tokensIndex: store.tableIndex('tokens'),
      directoryVersion: directory.version,
      now,
      store: counted,
      show: (tokens) => {
        const living = tokens.filter(({ ExpirationTime }) => now < expiry(ExpirationTime))
        const shown = living.map((token) => ({
          ...token,
          Policies: token.Policies.map(({ ID }) => directory.policy(ID)?.Name),
        }))
        return {
          text: JSON.stringify(shown).slice(1, -1) as ReturnType<TokenListRequest['show']>['text'],
          validUntil: Math.min(...living.map(({ ExpirationTime }) => expiry(ExpirationTime))),
          leavesOutExpired: living.length < tokens.length,
        }
      },
      ...fields,
    }
  }

  const textOf = async (lists: CachedTokenLists, asked = request()): Promise<string> => {
    const whole = await lists.whole(asked)
    if (whole) return Buffer.from(whole.bytes).toString()
    const pieces: Uint8Array[] = []
    for await (const piece of lists.streamed(asked)) if (piece.length > 0) pieces.push(piece)
    return `[${pieces.map((piece) => Buffer.from(piece).toString()).join(',')}]`
  }

  const files = (): readonly string[] => readdirSync(state.folder).map((name) => join(state.folder, name))

  const world = Object.assign(state, {
    database,
    store,
    counted,
    digests,
    sql,
    ring,
    log,
    put,
    update: (record: TokenRecord) => put({ table: 'tokens', op: 'put', record, expect: undefined }),
    remove: (record: TokenRecord) => put({ table: 'tokens', op: 'delete', record, expect: undefined }),
    changePolicy: (record: PolicyRecord) => put({ table: 'policies', op: 'put', record, expect: undefined }),
    start,
    request,
    textOf,
    /** Compares a list with the store's. @returns how many tokens were read for it. */
    async readsOf(lists: CachedTokenLists, asked = request()): Promise<number> {
      state.tokensRead = 0
      const text = await textOf(lists, asked)
      const { tokensRead } = state
      expect(text).toBe(await textOf(new CachedTokenLists(0), asked))
      return tokensRead
    },
    /** Lists once and ends, so that a file is kept. */
    async keep(options?: Options): Promise<void> {
      const lists = start(options)
      await textOf(lists)
      await lists.close()
    },
    files,
    onlyFile(): string {
      const [path, ...others] = files()
      if (path === undefined || others.length > 0)
        throw new TypeError(`there are ${others.length} other files`)
      return path
    },
  })

  const records = Array.from({ length: COUNT }, (_, i) =>
    aToken({ Description: `${i} "é"`, Policies: [{ ID: POLICY.ID }] }),
  )
  await world.changePolicy(POLICY)
  for (let i = 0; i < COUNT; i += COMMIT_SIZE) {
    await store.commit(records.slice(i, i + COMMIT_SIZE).map(putNew))
  }
  await sql.query('CREATE TABLE tokens_at_start AS TABLE token')
  beforeEach(async () => {
    state.folder = mkdtempSync(join(tmpdir(), 'latchkey-lists-'))
    state.warnings = []
    state.records = [...records]
    // The store caches no tokens, so the rows may be restored manually.
    await sql.query('TRUNCATE token')
    await sql.query('INSERT INTO token SELECT * FROM tokens_at_start')
    await world.changePolicy(POLICY)
  })
  afterEach(async () => {
    await Promise.all(started.splice(0).map((lists) => lists.close()))
    rmSync(state.folder, { recursive: true, force: true })
  })
  return world
}

function expiry(time: string | undefined): number {
  return time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time)
}
