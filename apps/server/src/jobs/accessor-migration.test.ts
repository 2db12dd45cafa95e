import { fromLegacyToken, type MigrationRecord, type TokenRecord } from '@latchkey/acl'
import { type Change, MemoryStore, StoreConflict } from '@latchkey/service'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRandom } from '../random.ts'
import { migrateAccessors } from './accessor-migration.ts'

const log = pino({ level: 'silent' })
const sleeper = {
  after: (ms: number, callback: () => void) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
}

/** A store that records committed batches, and lets a test write just before a batch. */
class WatchedStore extends MemoryStore {
  readonly batches: { readonly at: number; readonly tokens: readonly TokenRecord[] }[] = []
  attempts = 0
  beforeBatch: (planned: readonly TokenRecord[]) => void = () => {}

  override async commit(changes: readonly Change[]): Promise<number> {
    const tokens = changes.flatMap((change) =>
      change.table === 'tokens' && change.op === 'put' ? [change.record] : [],
    )
    this.attempts += 1
    this.beforeBatch(tokens)
    const index = this.commitNow(changes)
    this.batches.push({ at: Date.now() - START, tokens })
    return index
  }

  edit(secretId: string): void {
    const token = this.memory.tokenBySecret(secretId)?.record
    if (token?.AccessorID !== '') throw new Error(`${secretId} has an accessor, or is not there`)
    const record = { ...token, Description: `${token.Description}, edited` }
    this.commitNow([{ table: 'tokens', op: 'put', record, expect: token.ModifyIndex }])
  }

  remember(record: MigrationRecord, expect = 0): void {
    this.commitNow([
      {
        table: 'system',
        op: 'put',
        record: { Key: 'migration', Value: record, CreateIndex: 0, ModifyIndex: 0 },
        expect,
      },
    ])
  }
}

const START = Date.UTC(2026, 0, 31)
let store = new WatchedStore(sleeper)

beforeEach(() => {
  vi.useFakeTimers({ now: START })
  store = new WatchedStore(sleeper)
})
afterEach(() => {
  vi.useRealTimers()
})

function plant(count: number, overrides: Partial<TokenRecord> = {}): void {
  for (let i = 1; i <= count; i += 1) {
    const token = {
      ID: `${overrides.Local ? 'local' : 'secret'}-${i}`,
      Name: 'a',
      Type: 'client',
      Rules: '',
      CreateIndex: i,
    } as const
    const record = { ...fromLegacyToken({ ...token, ModifyIndex: 0 }), ...overrides }
    store.commitNow([{ table: 'tokens', op: 'put', record, expect: 0 }])
  }
}

function migrate(
  signal = new AbortController().signal,
  now = () => Date.now(),
  isSecondary = false,
): Promise<void> {
  return migrateAccessors({ store, isSecondary, now, random: createRandom(), log, onBatch: () => {} }, signal)
}

const sizes = () => store.batches.map(({ tokens }) => tokens.length)
const seconds = () => store.batches.map(({ at }) => Math.floor(at / 1_000))

test('takes 128 at once and 128 each second after (spec 8, 9.2.3)', async () => {
  plant(300)
  const done = migrate()
  await vi.advanceTimersByTimeAsync(5_000)
  await done
  expect(sizes()).toEqual([128, 128, 44])
  expect(seconds()).toEqual([0, 1, 2])
})

test('a secondary migrates its local tokens at the same rate, and leaves global ones to its primary (spec 9.2.3)', async () => {
  plant(5)
  plant(200, { Local: true })
  const done = migrate(undefined, undefined, true)
  await vi.advanceTimersByTimeAsync(5_000)
  await done
  expect([sizes(), seconds()]).toEqual([
    [128, 72],
    [0, 1],
  ])
  expect(store.batches.flatMap(({ tokens }) => tokens).every(({ Local }) => Local)).toBe(true)
  expect(await store.countTokens({ withoutAccessor: true })).toBe(5)
})

test('batches are a second apart even if the shared clock is corrected forwards in between (MIG-01)', async () => {
  plant(300)
  let aheadMs = 0
  const directory = store.directory.bind(store)
  store.directory = () => {
    aheadMs += 300
    return directory()
  }
  const done = migrate(undefined, () => Date.now() + aheadMs)
  await vi.advanceTimersByTimeAsync(5_000)
  await done
  expect(store.batches.map(({ at }) => at)).toEqual([0, 1_000, 2_000])
})

test('a token edited while its batch is in flight keeps the edit, and does not delay the others (decisions: upgrade)', async () => {
  plant(200)
  store.beforeBatch = () => {
    if (store.attempts === 1) store.edit('secret-5')
  }
  const done = migrate()
  await vi.advanceTimersByTimeAsync(3_000)
  await done
  expect([sizes(), seconds(), store.attempts]).toEqual([[128, 72], [0, 1], 3])
  expect(store.batches[0]?.tokens.map((token) => token.SecretID)).not.toContain('secret-5')
  expect(await store.tokenBySecret('secret-5')).toMatchObject({ Description: 'a, edited' })
})

test('two tokens that are constantly edited delay no other token, and are migrated when the edits end', async () => {
  plant(300)
  let isEditing = true
  store.beforeBatch = (planned) => {
    const secrets = new Set(planned.map((token) => token.SecretID))
    for (const secret of ['secret-1', 'secret-200']) if (isEditing && secrets.has(secret)) store.edit(secret)
  }
  const done = migrate()
  await vi.advanceTimersByTimeAsync(10_000)
  expect([sizes(), seconds()]).toEqual([
    [128, 128, 42],
    [0, 1, 2],
  ])
  const attemptsASecond = (store.attempts - 3) / 7
  expect(attemptsASecond).toBeLessThan(50)
  isEditing = false
  await vi.advanceTimersByTimeAsync(100)
  await done
  expect(sizes()).toEqual([128, 128, 42, 2])
})

test('a new leader waits a whole second first, however old the last batch looks (MIG-02)', async () => {
  plant(1)
  store.remember({ batches: 3, done: 384, lastBatchAt: START - 60_000, run: undefined })
  const done = migrate()
  await vi.advanceTimersByTimeAsync(2_000)
  await done
  expect(store.batches.map(({ at }) => at)).toEqual([1_000])
})

test('the interval after a batch of another process, seen late, runs from when it is seen (MIG-01)', async () => {
  plant(200)
  store.beforeBatch = () => {
    if (store.attempts !== 1) return
    // Planned long ago, and committed only now.
    store.remember({ batches: 1, done: 1, lastBatchAt: START - 5_000, run: undefined })
  }
  const done = migrate()
  await vi.advanceTimersByTimeAsync(3_000)
  await done
  expect(store.batches.map(({ at }) => at)).toEqual([1_000, 2_000])
})

test('a conflict that no change of a token explains is an error, not a loop', async () => {
  plant(2)
  store.beforeBatch = () => {
    throw new StoreConflict('accessor_in_use')
  }
  await expect(migrate()).rejects.toThrow('accessor_in_use')
  expect(store.attempts).toBe(1)
})

test('ends at the signal, in the middle of a wait', async () => {
  plant(200)
  const stopping = new AbortController()
  const done = migrate(stopping.signal)
  await vi.advanceTimersByTimeAsync(100)
  stopping.abort()
  await done
  expect(sizes()).toEqual([128])
})
