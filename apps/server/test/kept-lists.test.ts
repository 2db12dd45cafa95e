/** Token lists that files keep over restarts equal the lists of the store, whatever happened in between. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TokenRecord } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import type { Change, Store, TokenFilter, TokenListRequest } from '@latchkey/service'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { aMethod, aNamespace, aPolicy, aRole, aToken } from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Config } from '../src/config/config.ts'
import type { KeyRing } from '../src/secrets/key-ring.ts'
import type { PostgresStore, TokenDigests } from '../src/storage/postgres-store.ts'
import { CachedTokenLists } from '../src/token-lists/cached-token-lists.ts'
import { KeptLists } from '../src/token-lists/kept/kept-lists.ts'
import { openTokenLists } from '../src/token-lists/open-token-lists.ts'
import { createTestDatabase } from './database.ts'
import { openTestStore, putNew, testRing } from './store.ts'

const database = await createTestDatabase()
/** It caches nothing, so that what is changed by hand shows. */
const store = await openTestStore({ url: database.url, cacheBytes: 0 })
const sql = new pg.Client({ connectionString: database.url })
await sql.connect()
afterAll(() => sql.end())

/** Counts the tokens that are read. */
const reads = { tokens: 0 }
const counted: Store = Object.create(store, {
  tokens: {
    value: async function* (filter: TokenFilter) {
      for await (const page of store.tokens(filter)) {
        reads.tokens += page.length
        yield page
      }
    },
  },
})

function countedDigests(of: PostgresStore): TokenDigests {
  const { tokenDigests } = of
  return {
    async *digestedPages(filter) {
      for await (const page of tokenDigests.digestedPages(filter)) {
        reads.tokens += page.tokens.length
        yield page
      }
    },
    chunks: (...question) => tokenDigests.chunks(...question),
  }
}

const COUNT = 1_800
/** Tokens of one commit share their index. */
const COMMIT_SIZE = 40
const policy = aPolicy({ Name: 'shown' })
let records: TokenRecord[]
let folder: string
let warnings: string[]
const started: CachedTokenLists[] = []

const ring = testRing('test')
const log = pino(
  { level: 'warn' },
  { write: (line: string) => warnings.push((JSON.parse(line) as { readonly msg: string }).msg) },
)

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-lists-'))
  warnings = []
  await sql.query('TRUNCATE token')
  records = Array.from({ length: COUNT }, (_, i) =>
    aToken({ Description: `${i} "é"`, Policies: [{ ID: policy.ID }] }),
  )
  await put({ table: 'policies', op: 'put', record: policy, expect: undefined })
  for (let i = 0; i < COUNT; i += COMMIT_SIZE) {
    await store.commit(records.slice(i, i + COMMIT_SIZE).map(putNew))
  }
  await store.refresh('consistent')
})
afterEach(async () => {
  await Promise.all(started.splice(0).map((lists) => lists.close()))
  rmSync(folder, { recursive: true, force: true })
})

async function put(...changes: readonly Change[]): Promise<void> {
  await store.commit(changes)
  await store.refresh('consistent')
}

interface Options {
  readonly keys?: KeyRing
  readonly path?: string
  readonly filesMax?: number
  /** Of lists in memory. Longer ones than half of it, but at least 4 MiB, are streamed. */
  readonly cacheBytes?: number
  readonly digests?: TokenDigests
  readonly pauseMs?: number
}

const digests = countedDigests(store)

/** The lists of a process that starts. */
function start({ keys = ring, path = folder, ...options }: Options = {}): CachedTokenLists {
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

function request(fields: Partial<TokenListRequest> = {}): TokenListRequest {
  const directoryNow = store.directory()
  const now = fields.now ?? Date.parse('2026-02-01T00:00:00Z')
  return {
    filter: { namespace: 'default' },
    secrets: 'all',
    tokensIndex: store.tableIndex('tokens'),
    directoryVersion: directoryNow.version,
    now,
    store: counted,
    show: (tokens) => {
      const living = tokens.filter(({ ExpirationTime }) => now < expiry(ExpirationTime))
      const shown = living.map((token) => ({
        ...token,
        Policies: token.Policies.map(({ ID }) => directoryNow.policy(ID)?.Name),
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

function expiry(time: string | undefined): number {
  return time === undefined ? Number.POSITIVE_INFINITY : Date.parse(time)
}

async function textOf(lists: CachedTokenLists, asked = request()): Promise<string> {
  const whole = await lists.whole(asked)
  if (whole) return Buffer.from(whole.bytes).toString()
  const pieces: Uint8Array[] = []
  for await (const piece of lists.streamed(asked)) if (piece.length > 0) pieces.push(piece)
  return `[${pieces.map((piece) => Buffer.from(piece).toString()).join(',')}]`
}

/** Compares a list with that of the store. @returns how many tokens were read for it. */
async function readsOf(lists: CachedTokenLists, asked = request()): Promise<number> {
  reads.tokens = 0
  const text = await textOf(lists, asked)
  const count = reads.tokens
  expect(text).toBe(await textOf(new CachedTokenLists(0), asked))
  return count
}

/** Lists once and ends, so that a file is kept. */
async function keep(options?: Options): Promise<void> {
  const lists = start(options)
  await textOf(lists)
  await lists.close()
}

function files(): readonly string[] {
  return readdirSync(folder).map((name) => join(folder, name))
}

function flip(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return flipped
}

function onlyFile(): string {
  const [path, ...others] = files()
  if (path === undefined || others.length > 0) throw new TypeError(`there are ${files().length} files`)
  return path
}

test('COH-07: after a restart, a list that did not change is read from its file', async () => {
  expect(await readsOf(start())).toBe(COUNT)
  await keep()
  expect(await readsOf(start())).toBe(0)
  expect(warnings).toEqual([])
})

describe('after a restart, only what changed is read', () => {
  const record = () => records[700] as TokenRecord
  const CHANGES: readonly (readonly [string, () => Promise<unknown>])[] = [
    [
      'an update',
      () =>
        put({ table: 'tokens', op: 'put', record: { ...record(), Description: 'new' }, expect: undefined }),
    ],
    ['a deletion', () => put({ table: 'tokens', op: 'delete', record: record(), expect: undefined })],
    ['a new token', () => put(putNew(aToken()))],
    [
      'all tokens of a commit deleted',
      () =>
        put(
          ...records
            .slice(400, 440)
            .map((one): Change => ({ table: 'tokens', op: 'delete', record: one, expect: undefined })),
        ),
    ],
    [
      'the first and the last token deleted',
      () =>
        put(
          ...[records[0], records.at(-1)].map(
            (one): Change => ({
              table: 'tokens',
              op: 'delete',
              record: one as TokenRecord,
              expect: undefined,
            }),
          ),
        ),
    ],
    [
      'the links of a row changed by hand',
      () => sql.query(`UPDATE token SET policies = '{}' WHERE accessor_id = $1`, [record().AccessorID]),
    ],
    [
      'the same change of two rows by hand',
      () =>
        sql.query(`UPDATE token SET description = 'twice' WHERE accessor_id IN ($1, $2)`, [
          record().AccessorID,
          records[701]?.AccessorID,
        ]),
    ],
    [
      'texts of two rows exchanged by hand',
      () =>
        sql.query(
          `UPDATE token t SET description = o.description FROM token o WHERE t.accessor_id IN ($1, $2) AND o.accessor_id IN ($1, $2) AND t.accessor_id <> o.accessor_id`,
          [record().AccessorID, records[701]?.AccessorID],
        ),
    ],
    // As no write of this service does it: the index of the token stays.
    [
      'a row changed by hand',
      () =>
        sql.query(`UPDATE token SET description = 'by hand' WHERE accessor_id = $1`, [record().AccessorID]),
    ],
    [
      'a row removed by hand',
      () => sql.query(`DELETE FROM token WHERE accessor_id = $1`, [record().AccessorID]),
    ],
    [
      'a row moved by hand',
      () =>
        sql.query(`UPDATE token SET create_index = create_index + 3 WHERE accessor_id = $1`, [
          record().AccessorID,
        ]),
    ],
  ]

  test.each(CHANGES)('%s', async (_name, change) => {
    await keep()
    await change()
    const read = await readsOf(start())
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(COUNT / 4)
    expect(warnings).toEqual([])
  })

  test('the file is then written anew, and holds the change', async () => {
    await keep()
    await put({ table: 'tokens', op: 'put', record: { ...record(), Description: 'new' }, expect: undefined })
    await keep()
    expect(await readsOf(start())).toBe(0)
  })

  test('a list that was patched in memory is written at the end', async () => {
    const lists = start()
    await textOf(lists)
    await expect.poll(() => files().length).toBe(1)
    await put({ table: 'tokens', op: 'put', record: { ...record(), Description: 'new' }, expect: undefined })
    await textOf(lists)
    // What is new is too little to be written now.
    await sleep(100)
    expect(await readsOf(start())).toBeGreaterThan(0)
    await lists.close()
    expect(await readsOf(start())).toBe(0)
  })

  test('most of the list: then all of it', async () => {
    await keep()
    await sql.query(`UPDATE token SET description = 'by hand' WHERE create_index % 10 <> 0`)
    expect(await readsOf(start())).toBe(COUNT)
  })
})

test('COH-07: random changes between restarts', { timeout: 120_000 }, async () => {
  const random = new SeededRandom(chooseSeed('kept lists'))
  for (let round = 0; round < 25; round += 1) {
    const lists = start()
    await readsOf(lists)
    for (let i = random.below(6); i > 0; i -= 1) {
      const at = random.below(records.length)
      const record = records[at] as TokenRecord
      const isDeleted = random.below(3) === 0
      const next = { ...record, Description: `round ${round}` }
      records.splice(at, 1, ...(isDeleted ? [] : [next]))
      await put({
        table: 'tokens',
        op: isDeleted ? 'delete' : 'put',
        record: isDeleted ? record : next,
        expect: undefined,
      })
      if (random.below(3) === 0) {
        const added = Array.from({ length: 1 + random.below(300) }, () => aToken())
        records.push(...added)
        await put(...added.map(putNew))
      }
    }
    if (random.below(2) === 0) await readsOf(lists)
    await lists.close()
  }
  expect(warnings).toEqual([])
})

describe('nothing is taken from a file', () => {
  test('after a policy was renamed', async () => {
    await keep()
    await put({ table: 'policies', op: 'put', record: { ...policy, Name: 'renamed' }, expect: undefined })
    expect(await readsOf(start())).toBe(COUNT)
  })

  test('if another version would render it differently', async () => {
    await keep()
    const show: TokenListRequest['show'] = (tokens) => ({
      ...request().show(tokens),
      text: tokens.map(({ AccessorID }) => JSON.stringify(AccessorID)).join(',') as ReturnType<
        TokenListRequest['show']
      >['text'],
    })
    expect(await readsOf(start(), request({ show }))).toBe(COUNT)
  })

  test('of a list with other rights, or another filter or order', async () => {
    await keep()
    expect(await readsOf(start(), request({ secrets: 'none' }))).toBe(COUNT)
    const filters: readonly TokenFilter[] = [
      { namespace: 'default', newestFirst: true },
      { namespace: 'default', local: false },
    ]
    for (const filter of filters) {
      expect(await readsOf(start(), request({ filter }))).toBe(COUNT)
    }
  })

  test('for a read from a replica', async () => {
    await keep()
    expect(await readsOf(start(), request({ store: Object.create(counted) }))).toBe(COUNT)
  })

  test('that expired since', async () => {
    const [first, second] = records as [TokenRecord, TokenRecord]
    const ExpirationTime = '2026-02-01T00:00:10Z'
    await put({ table: 'tokens', op: 'put', record: { ...second, ExpirationTime }, expect: undefined })
    await keep()
    const later = request({ now: Date.parse(ExpirationTime) })
    const text = await textOf(start(), later)
    expect(text).not.toContain(second.AccessorID)
    expect(text).toContain(first.AccessorID)
    expect(await readsOf(start(), later)).toBeLessThan(COUNT / 4)
  })

  test('that changed while the list was read', async () => {
    let isFirst = true
    const lists = start({
      digests: {
        ...digests,
        async *digestedPages(filter) {
          for await (const page of digests.digestedPages(filter)) {
            yield page
            if (isFirst)
              await put({
                table: 'tokens',
                op: 'put',
                record: { ...(records[700] as TokenRecord), Description: 'late' },
                expect: undefined,
              })
            if (isFirst)
              await sql.query(`UPDATE token SET description = 'by hand' WHERE accessor_id = $1`, [
                records[3]?.AccessorID,
              ])
            isFirst = false
          }
        },
      },
    })
    await textOf(lists)
    await lists.close()
    const read = await readsOf(start())
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(COUNT / 4)
  })

  test('that a process showed from its memory, after a row was changed by hand', async () => {
    const warm = await openTestStore({ url: database.url })
    const { AccessorID } = records[3] as TokenRecord
    await warm.tokenByAccessor(AccessorID)
    await sql.query(`UPDATE token SET description = 'by hand' WHERE accessor_id = $1`, [AccessorID])
    const asked = request({
      store: warm,
      directoryVersion: warm.directory().version,
      tokensIndex: warm.tableIndex('tokens'),
    })
    const kept = new KeptLists({
      folder,
      bytesMax: 1e8,
      ring,
      store: warm,
      digests: warm.tokenDigests,
      log,
      bytesMin: 1,
    })
    const lists = new CachedTokenLists(1e8, kept)
    await lists.whole(asked)
    await lists.close()
    expect(files()).toHaveLength(1)
    expect(await textOf(start())).toContain('by hand')
  })

  test('if the clock was ahead when it was made', async () => {
    const lists = start()
    await textOf(lists, request({ now: Date.parse('2026-03-01T00:00:00Z') }))
    await lists.close()
    expect(await readsOf(start())).toBe(COUNT)
  })

  test('after the directory has changed since the request was admitted', async () => {
    await keep()
    const asked = request()
    await put({
      table: 'policies',
      op: 'put',
      record: { ...policy, Description: 'changed' },
      expect: undefined,
    })
    reads.tokens = 0
    await textOf(start(), asked)
    expect(reads.tokens).toBe(COUNT)
  })

  const role = aRole({ Name: 'role' })
  const method = aMethod({ Name: 'method' })
  const DIRECTORY_CHANGES: readonly (readonly [string, Change])[] = [
    [
      'a role',
      { table: 'roles', op: 'put', record: { ...role, Policies: [{ ID: policy.ID }] }, expect: undefined },
    ],
    [
      'the name of a role',
      { table: 'roles', op: 'put', record: { ...role, Name: 'renamed' }, expect: undefined },
    ],
    [
      'an auth method',
      { table: 'authMethods', op: 'put', record: { ...method, Generation: 7 }, expect: undefined },
    ],
  ]

  test.each(DIRECTORY_CHANGES)('after %s was changed', async (_name, change) => {
    await put({ table: 'roles', op: 'put', record: role, expect: undefined })
    await put({ table: 'authMethods', op: 'put', record: method, expect: undefined })
    await keep()
    expect(await readsOf(start())).toBe(0)
    await put(change)
    expect(await readsOf(start())).toBe(COUNT)
  })
})

describe('a file', () => {
  test('shows no token, and only its owner may read it', async () => {
    await keep()
    const bytes = readFileSync(onlyFile())
    const { SecretID, AccessorID } = records[0] as TokenRecord
    for (const text of [SecretID, AccessorID, 'Description', 'SecretID'])
      expect(bytes.includes(text)).toBe(false)
    expect(statSync(onlyFile()).mode & 0o777).toBe(0o600)
  })

  const DAMAGES: readonly (readonly [string, (bytes: Buffer) => Uint8Array])[] = [
    ['empty', () => new Uint8Array(0)],
    ['cut in its last line', (bytes) => bytes.subarray(0, -10)],
    [
      'changed in many places',
      (bytes) => {
        const changed = Buffer.from(bytes)
        changed.fill(0, 0, Math.floor(bytes.length / 2))
        return changed
      },
    ],
    ['cut in the middle', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['changed in its index', (bytes) => flip(bytes, bytes.length - 600)],
    ['changed in its first list part', (bytes) => flip(bytes, 1_000)],
    ['changed in its middle', (bytes) => flip(bytes, Math.floor(bytes.length / 2))],
    ['of zeros', (bytes) => new Uint8Array(bytes.length)],
    ['of another place', (bytes) => Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)])],
  ]

  test.each(DAMAGES)('that is %s changes no answer, and is replaced', async (_name, damage) => {
    await keep()
    const path = onlyFile()
    writeFileSync(path, damage(readFileSync(path)))
    const lists = start()
    expect(await readsOf(lists)).toBeGreaterThan(0)
    expect(warnings).toEqual(['a kept list of tokens cannot be used'])
    await lists.close()
    expect(await readsOf(start())).toBe(0)
  })

  test('of a key that the ring has lost is replaced', async () => {
    await keep({ keys: testRing('old') })
    await keep({ keys: testRing('new') })
    expect(warnings).toEqual(['a kept list of tokens cannot be used'])
    expect(await readsOf(start({ keys: testRing('newest', 'new') }))).toBe(0)
  })
})

describe('a list too long for memory', () => {
  /** Nothing fits, but all lists up to 4 MiB would. */
  const Description = 'x'.repeat(4_000)
  const streaming = { cacheBytes: 100 }

  beforeEach(async () => {
    for (let i = 0; i < COUNT; i += COMMIT_SIZE) {
      const some = records.slice(i, i + COMMIT_SIZE)
      await put(
        ...some.map(
          (record): Change => ({
            table: 'tokens',
            op: 'put',
            record: { ...record, Description },
            expect: undefined,
          }),
        ),
      )
    }
  })

  test('is written while it is streamed, and then streamed from its file', async () => {
    const lists = start(streaming)
    expect(await lists.whole(request())).toBeUndefined()
    await textOf(lists)
    await lists.close()
    expect(files()).toHaveLength(1)
    const next = start(streaming)
    // The first attempt finds out that it is too long.
    await textOf(next)
    expect(await readsOf(next)).toBe(0)
    await put({ table: 'tokens', op: 'delete', record: records[900] as TokenRecord, expect: undefined })
    expect(await readsOf(next)).toBeLessThan(COUNT / 4)
    await next.close()
    expect(warnings).toEqual([])
  })

  test('that becomes short is read into memory again', async () => {
    await textOf(start(streaming))
    const lists = start(streaming)
    await textOf(lists)
    await lists.close()
    await sql.query('DELETE FROM token WHERE create_index > $1', [
      (await store.tokenByAccessor(records[399]?.AccessorID ?? ''))?.CreateIndex,
    ])
    const next = start(streaming)
    await textOf(next)
    await next.close()
    expect(await start(streaming).whole(request())).toBeDefined()
  })

  test('whose reader leaves is not kept', async () => {
    const lists = start(streaming)
    await lists.whole(request())
    for await (const piece of lists.streamed(request())) if (piece.length > 0) break
    await lists.close()
    expect(files()).toEqual([])
    expect(warnings).toEqual([])
  })

  test('with several readers at once is written once', async () => {
    const lists = start(streaming)
    const texts = await Promise.all([textOf(lists), textOf(lists), textOf(lists)])
    expect(new Set(texts).size).toBe(1)
    await lists.close()
    expect(files()).toHaveLength(1)
    expect(warnings).toEqual([])
  })

  test('and for the files is not kept', async () => {
    const lists = start({ ...streaming, filesMax: 1_000_000 })
    await textOf(lists)
    await readsOf(lists)
    await lists.close()
    expect(files()).toEqual([])
    expect(warnings).toContain('a list of tokens could not be kept in a file')
  })
})

test('the file that was not used for the longest time makes room for another', async () => {
  await keep()
  const bytes = statSync(onlyFile()).size
  const lists = start({ filesMax: 2.5 * bytes })
  await textOf(lists, request({ filter: {} }))
  await expect.poll(() => files().length).toBe(2)
  await textOf(lists)
  await textOf(lists, request({ secrets: 'none' }))
  await lists.close()
  expect(files()).toHaveLength(2)
  expect(await readsOf(start())).toBe(0)
  expect(await readsOf(start(), request({ secrets: 'none' }))).toBe(0)
})

test('a directory that cannot be written changes no answer', async () => {
  const path = join(folder, 'file')
  writeFileSync(path, '')
  const lists = start({ path })
  expect(await readsOf(lists)).toBe(COUNT)
  await lists.close()
  expect(warnings).toContain('a list of tokens could not be kept in a file')
})

describe('a comparison', () => {
  test('that takes too long changes no answer and leaves the file, and is not repeated at once', async () => {
    await keep()
    let calls = 0
    const canceled = new AclError('unavailable', 'later', {
      cause: Object.assign(new Error('canceled'), { code: '57014' }),
    })
    const chunks = () => {
      calls += 1
      return Promise.reject(canceled)
    }
    const lists = start({ digests: { ...digests, chunks }, pauseMs: 1_000_000 })
    expect(await readsOf(lists)).toBe(COUNT)
    await put({
      table: 'policies',
      op: 'put',
      record: { ...policy, Description: 'changed' },
      expect: undefined,
    })
    expect(await readsOf(lists)).toBe(COUNT)
    expect(calls).toBe(1)
    expect(warnings).toEqual(['a kept list of tokens could not be compared with the database'])
    expect(await readsOf(start())).toBe(0)
  })

  test('that finds no database fails at once', async () => {
    await keep()
    const away = new AclError('unavailable', 'later', {
      cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    })
    const lists = start({ digests: { ...digests, chunks: () => Promise.reject(away) } })
    reads.tokens = 0
    await expect(lists.whole(request())).rejects.toBe(away)
    expect(reads.tokens).toBe(0)
  })
})

describe('tokens of one commit of hundreds', () => {
  const many = () => Array.from({ length: 1_300 }, () => aToken())

  test('are one chunk of several parts', async () => {
    const added = many()
    await put(...added.map(putNew))
    await keep()
    expect(await readsOf(start())).toBe(0)
    await put({
      table: 'tokens',
      op: 'put',
      record: { ...(added[900] as TokenRecord), Description: 'new' },
      expect: undefined,
    })
    const read = await readsOf(start())
    expect(read).toBeGreaterThanOrEqual(1_300)
    expect(read).toBeLessThan(1_300 + COUNT / 4)
  })

  test('without accessors, of which one gets one while the list is in memory', async () => {
    const added = many().map((record) => ({ ...record, AccessorID: '' }))
    await put(...added.map(putNew))
    await keep()
    const lists = start()
    expect(await readsOf(lists)).toBe(0)
    const record = { ...(added[1_200] as TokenRecord), AccessorID: aToken().AccessorID }
    await put({ table: 'tokens', op: 'put', record, expect: undefined })
    await readsOf(lists)
  })
})

test('lists of two namespaces do not mix', async () => {
  await put({ table: 'namespaces', op: 'put', record: aNamespace({ Name: 'team' }), expect: undefined })
  const team = Array.from({ length: 100 }, () => aToken({ Namespace: 'team' }))
  await put(...team.map(putNew))
  const asked = request({ filter: { namespace: 'team' } })
  const lists = start()
  await textOf(lists)
  await textOf(lists, asked)
  await lists.close()
  expect(files()).toHaveLength(2)
  await put({
    table: 'tokens',
    op: 'put',
    record: { ...(team[50] as TokenRecord), Description: 'new' },
    expect: undefined,
  })
  expect(await readsOf(start())).toBe(0)
  expect(await readsOf(start(), asked)).toBe(100)
})

test('a list from a file expires in memory, too', async () => {
  const ExpirationTime = '2026-02-01T00:00:10Z'
  const [record] = records as [TokenRecord]
  await put({ table: 'tokens', op: 'put', record: { ...record, ExpirationTime }, expect: undefined })
  await keep()
  const lists = start()
  expect(await readsOf(lists)).toBe(0)
  await readsOf(lists, request({ now: Date.parse(ExpirationTime) }))
})

describe('files are written', () => {
  test('once by two processes at once', async () => {
    const both = [start({ pauseMs: 1_000_000 }), start({ pauseMs: 1_000_000 })]
    await Promise.all(both.map((lists) => textOf(lists)))
    await Promise.all(both.map((lists) => lists.close()))
    expect(files()).toHaveLength(1)
    expect(warnings).toEqual([])
    expect(await readsOf(start())).toBe(0)
  })

  test('only if something has changed', async () => {
    await keep()
    const { ino } = statSync(onlyFile())
    await keep()
    expect(statSync(onlyFile()).ino).toBe(ino)
  })

  test('again although the clock was ahead when they were', async () => {
    await keep()
    const later = Date.now() / 1_000 + 86_400
    utimesSync(onlyFile(), later, later)
    await sql.query(`UPDATE token SET description = 'by hand'`)
    await keep()
    expect(await readsOf(start())).toBe(0)
  })

  test('not again if they are longer than all may be', async () => {
    const lists = start({ filesMax: 10_000 })
    await textOf(lists)
    await expect.poll(() => warnings.length).toBe(1)
    await put(putNew(aToken()))
    await textOf(lists)
    await lists.close()
    expect(warnings).toHaveLength(1)
  })

  test('after a first attempt that failed', async () => {
    const path = join(folder, 'later')
    writeFileSync(path, '')
    const lists = start({ path })
    await textOf(lists)
    await expect.poll(() => warnings.length).toBeGreaterThan(0)
    rmSync(path)
    await put(putNew(aToken()))
    await textOf(lists)
    await lists.close()
    expect(await readsOf(start({ path }))).toBe(0)
  })

  test('again after another process has removed them', async () => {
    const lists = start()
    await textOf(lists)
    await expect.poll(() => files().length).toBe(1)
    rmSync(onlyFile())
    await put(putNew(aToken()))
    await textOf(lists)
    await lists.close()
    expect(await readsOf(start())).toBe(0)
  })

  test('again with the active key', async () => {
    await keep({ keys: testRing('old') })
    await keep({ keys: testRing('new', 'old') })
    expect(await readsOf(start({ keys: testRing('new') }))).toBe(0)
    expect(warnings).toEqual([])
  })

  test('without what a killed process left', async () => {
    const [old, young] = ['a.draft-1', 'a.draft-2'].map((name) => join(folder, name)) as [string, string]
    for (const path of [old, young]) writeFileSync(path, '')
    utimesSync(old, 0, 0)
    await keep()
    expect(existsSync(old)).toBe(false)
    expect(existsSync(young)).toBe(true)
  })

  test.skipIf(process.platform !== 'linux')('and no file is left open', async () => {
    await keep()
    const open = () => readdirSync('/proc/self/fd').length
    const before = open()
    for (let i = 0; i < 20; i += 1) {
      await readsOf(start({ pauseMs: 1_000_000 }))
      await readsOf(
        start({ pauseMs: 1_000_000, cacheBytes: 100 }),
        request({ secrets: i % 2 ? 'none' : 'all' }),
      )
    }
    expect(open()).toBeLessThan(before + 10)
  })
})

test('a file under the name of another list does not open', async () => {
  await keep()
  const lists = start()
  await textOf(lists, request({ secrets: 'none' }))
  await lists.close()
  const [a, b] = files() as [string, string]
  const bytes = readFileSync(a)
  writeFileSync(a, readFileSync(b))
  writeFileSync(b, bytes)
  expect(await readsOf(start())).toBe(COUNT)
  expect(await readsOf(start(), request({ secrets: 'none' }))).toBe(COUNT)
  expect(warnings).toHaveLength(2)
})

describe('a server keeps no files, and removes earlier ones,', () => {
  const SETTINGS = { cache: true, cacheBytes: 1e8, workers: 1, databaseConnections: 10, listFilesBytes: 1e8 }
  const CASES: readonly (readonly [string, object, boolean])[] = [
    ['if it may not', { listFilesBytes: 0 }, false],
    ['without a cache', { cache: false }, false],
    ['if their key would be beside them, and the database is not', { databaseUrl: database.url }, false],
    ['but it does with a key from elsewhere', { databaseUrl: database.url, encryptionKeys: [] }, true],
    ['but it does with a database of its own', {}, true],
  ]

  test.each(CASES)('%s', async (_name, settings, keeps) => {
    await keep({ path: join(folder, 'token-lists') })
    await openTokenLists({
      config: { ...SETTINGS, ...settings } as unknown as Config,
      dataDir: folder,
      store: Object.assign(Object.create(store), { ring }),
      servedStore: counted,
      log,
    })
    expect(existsSync(join(folder, 'token-lists'))).toBe(keeps)
  })
})

test('a list that is written again and again waits between two writes', async () => {
  const lists = start({ pauseMs: 1_000_000 })
  await textOf(lists)
  await expect.poll(() => files().length).toBe(1)
  const { mtimeMs } = statSync(onlyFile())
  await sql.query(`UPDATE token SET description = 'by hand'`)
  await put({ table: 'policies', op: 'put', record: { ...policy, Name: 'renamed' }, expect: undefined })
  await textOf(lists)
  await lists.close()
  expect(statSync(onlyFile()).mtimeMs).toBe(mtimeMs)
})
