/** A list is written to its file before it is requested. */
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runServer } from '@latchkey/testkit/process/server-process'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { beforeEach, describe, expect, test } from 'vitest'
import { parseEncryptionKeys } from '../../src/secrets/encryption-keys.ts'
import { createKeyRing } from '../../src/secrets/key-ring.ts'
import type { Preparation } from '../../src/token-lists/kept/kept-lists.ts'
import { claimOf } from '../../src/token-lists/kept/list-file.ts'
import { ListPreparation } from '../../src/token-lists/list-preparation.ts'
import { createTestDatabase } from '../database.ts'
import { ENCRYPTION_KEYS, MANAGEMENT, SERVER_ENV } from '../shared-env.ts'
import { openTestStore, putNew, testRing } from '../store.ts'
import { COUNT, openKeptLists, POLICY } from './harness.ts'

const world = await openKeptLists()
const { sql, digests, start, request, readsOf, files, onlyFile, put, changePolicy, log } = world
const { signal } = new AbortController()

/** @returns how many tokens were read for it. */
async function prepare(lists = start(), options: Partial<Preparation> = {}) {
  world.tokensRead = 0
  await lists.prepare(request(), { signal, ...options })
  return world.tokensRead
}

/** Changes tokens manually, so that only their digests show it. */
const change = (count: number) =>
  sql.query(
    `UPDATE token SET description = 'by hand' WHERE accessor_id IN (SELECT accessor_id FROM token ORDER BY create_index LIMIT $1)`,
    [count],
  )

describe('a list that was not requested', () => {
  test('is written to its file', async () => {
    expect(await prepare()).toBe(COUNT)
    expect(await readsOf(start())).toBe(0)
    expect(world.warnings).toEqual([])
  })

  test('is not written if it is short', async () => {
    expect(await prepare(start({ bytesMin: COUNT * 1_000 }))).toBe(0)
    expect(files()).toEqual([])
  })

  test('is not written if its file lacks little', async () => {
    await prepare()
    const { ino } = statSync(onlyFile())
    await change(COUNT / 20)
    expect(await prepare()).toBe(0)
    expect(statSync(onlyFile()).ino).toBe(ino)
  })

  test('is written again if its file lacks a tenth, and only that part is read', async () => {
    await prepare()
    await change(COUNT / 5)
    const read = await prepare()
    expect(read).toBeGreaterThan(COUNT / 6)
    expect(read).toBeLessThan(COUNT / 2)
    expect(await readsOf(start())).toBe(0)
  })

  test('is written again if a tenth of it was created since', async () => {
    await prepare()
    for (let i = 0; i < COUNT / 5; i += 40) await put(...Array.from({ length: 40 }, () => putNew(aToken())))
    expect(await prepare()).toBeLessThan(COUNT / 2)
    expect(await readsOf(start())).toBe(0)
  })

  test('is written again if the text of every token has changed', async () => {
    await prepare()
    await changePolicy({ ...POLICY, Name: 'renamed' })
    expect(await prepare()).toBe(COUNT)
    expect(await readsOf(start())).toBe(0)
  })

  test('is written again with the active key', async () => {
    await prepare(start({ keys: testRing('old') }))
    await prepare(start({ keys: testRing('new', 'old') }))
    expect(await readsOf(start({ keys: testRing('new') }))).toBe(0)
  })

  test('is not written if it has more tokens than may be read', async () => {
    expect(await prepare(start(), { tokensMax: COUNT / 2 })).toBe(0)
    expect(files()).toEqual([])
    expect(await prepare(start(), { tokensMax: COUNT * 2 })).toBe(COUNT)
  })

  test('is not written if too few tokens have to be read', async () => {
    expect(await prepare(start(), { tokensMin: COUNT * 2 })).toBe(0)
    expect(files()).toEqual([])
    await prepare()
    await change(COUNT / 5)
    expect(await prepare(start(), { tokensMin: COUNT / 2 })).toBe(0)
    expect(await prepare(start(), { tokensMin: COUNT / 10 })).toBeGreaterThan(0)
  })

  test('is written twice within the pause only if it is urgent', async () => {
    const lists = start({ pauseMs: 1_000_000 })
    await prepare(lists)
    await change(COUNT)
    expect(await prepare(lists)).toBe(0)
    expect(await prepare(lists, { isUrgent: true })).toBe(COUNT)
    expect(await readsOf(start())).toBe(0)
  })

  test('is prepared by only one of two processes', async () => {
    const both = [start(), start()]
    world.tokensRead = 0
    await Promise.all(both.map((lists) => lists.prepare(request(), { signal })))
    expect(world.tokensRead).toBe(COUNT)
    expect(files()).toHaveLength(1)
  })

  test('is prepared even after a process was killed while preparing it', async () => {
    await prepare()
    const claim = claimOf(onlyFile())
    writeFileSync(claim, '')
    await change(COUNT)
    expect(await prepare()).toBe(0)
    utimesSync(claim, 0, 0)
    expect(await prepare()).toBe(COUNT)
    expect(files()).toHaveLength(1)
  })

  test('is abandoned on request, without leftovers', async () => {
    const aborter = new AbortController()
    async function* digestedPages(...of: Parameters<typeof digests.digestedPages>) {
      for await (const page of digests.digestedPages(...of)) {
        yield page
        aborter.abort()
      }
    }
    world.tokensRead = 0
    await start({ digests: { ...digests, digestedPages } }).prepare(request(), { signal: aborter.signal })
    expect(world.tokensRead).toBeGreaterThan(0)
    expect(world.tokensRead).toBeLessThan(COUNT)
    expect(files()).toEqual([])
  })
})

describe('a process prepares a list', () => {
  let preparation: ListPreparation
  beforeEach(() => {
    preparation = new ListPreparation({ lists: start(), request, log, lastTokensMax: COUNT / 2 })
  })
  /** A round after idle time. */
  const round = async () => {
    await sleep(200)
    world.tokensRead = 0
    const pauseMs = await preparation.round(signal)
    return { pauseMs, read: world.tokensRead }
  }

  test('not at its start, and then once until something changes', async () => {
    expect(await round()).toEqual({ pauseMs: 10_000, read: 0 })
    const { pauseMs, read } = await round()
    expect(read).toBe(COUNT)
    expect(pauseMs).toBeGreaterThanOrEqual(60_000)
    expect(await round()).toEqual({ pauseMs: 10_000, read: 0 })
    await changePolicy({ ...POLICY, Name: 'renamed' })
    expect(await round()).toMatchObject({ read: COUNT })
  })

  test('not while it is busy', async () => {
    await round()
    const until = performance.now() + 200
    while (performance.now() < until);
    expect(await preparation.round(signal)).toBe(10_000)
    expect(files()).toEqual([])
  })

  test('only at its end, if that is quick', async () => {
    preparation = new ListPreparation({ lists: start(), request, log })
    await round()
    expect((await round()).read).toBe(0)
    await preparation.finish()
    expect(await readsOf(start())).toBe(0)
  })

  test('not at its end, if that takes too long', async () => {
    await preparation.finish()
    expect(files()).toEqual([])
  })

  test('a folder that cannot be written is reported once a minute', async () => {
    const path = join(world.folder, 'file')
    writeFileSync(path, '')
    preparation = new ListPreparation({ lists: start({ path }), request, log, lastTokensMax: 0 })
    await round()
    for (const reports of [1, 2]) {
      expect((await round()).pauseMs).toBeGreaterThanOrEqual(60_000)
      expect(world.warnings).toHaveLength(reports)
    }
    expect(new Set(world.warnings)).toEqual(new Set(['the list of tokens could not be prepared']))
  })

  test('a failure at its end is logged', async () => {
    // biome-ignore lint/correctness/useYield: it fails before its first page.
    async function* digestedPages() {
      throw new Error('broken')
    }
    const lists = start({ digests: { ...digests, digestedPages } })
    await new ListPreparation({ lists, request, log }).finish()
    expect(world.warnings).toEqual(['the list of tokens could not be prepared'])
  })
})

test('a server prepares the list that management tokens get', async () => {
  const database = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-prepared-'))
  const env = { ...SERVER_ENV, DATABASE_URL: database.url, LATCHKEY_DATA_DIR: dataDir }
  try {
    const ring = createKeyRing(parseEncryptionKeys(ENCRYPTION_KEYS))
    const store = await openTestStore({ url: database.url, ring, cacheBytes: 0 })
    for (let i = 0; i < 17_000; i += 250)
      await store.commit(Array.from({ length: 250 }, (_, j) => putNew(aToken({ Description: `${i + j}` }))))
    const first = await runServer(env)
    await first.stop()
    const kept = readdirSync(join(dataDir, 'token-lists'))
    expect(kept).toHaveLength(1)
    const second = await runServer(env)
    const { body } = await second.call('GET', '/acl/tokens', { token: MANAGEMENT })
    expect((body as readonly unknown[]).length).toBeGreaterThan(17_000)
    await second.stop()
    expect(readdirSync(join(dataDir, 'token-lists'))).toEqual(kept)
  } finally {
    await database.drop()
    rmSync(dataDir, { recursive: true })
  }
})
