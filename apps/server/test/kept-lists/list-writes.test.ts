/** When kept lists are written, and when they are not. */
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TokenRecord } from '@latchkey/acl'
import { aToken } from '@latchkey/testkit/records/record-builders'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { ListFileWriter } from '../../src/token-lists/kept/list-file.ts'
import { putNew, testRing } from '../store.ts'
import { COUNT, openKeptLists, POLICY } from './harness.ts'

const world = await openKeptLists()
const { store, sql, start, request, textOf, readsOf, keep, files, onlyFile, put, remove, changePolicy } =
  world

describe('files are written', () => {
  test('complete by two concurrent processes', async () => {
    const both = [start({ pauseMs: 1_000_000 }), start({ pauseMs: 1_000_000 })]
    await Promise.all(both.map((lists) => textOf(lists)))
    await Promise.all(both.map((lists) => lists.close()))
    expect(files()).toHaveLength(1)
    expect(world.warnings).toEqual([])
    expect(await readsOf(start())).toBe(0)
  })

  test('only if something has changed', async () => {
    await keep()
    const { ino } = statSync(onlyFile())
    await keep()
    expect(statSync(onlyFile()).ino).toBe(ino)
  })

  test('again although the clock was ahead the last time', async () => {
    await keep()
    const later = Date.now() / 1_000 + 86_400
    utimesSync(onlyFile(), later, later)
    await sql.query(`UPDATE token SET description = 'by hand'`)
    await keep()
    expect(await readsOf(start())).toBe(0)
  })

  test('not again if they exceed the limit of all files', async () => {
    const lists = start({ filesMax: 10_000 })
    await textOf(lists)
    await expect.poll(() => world.warnings.length).toBe(1)
    await put(putNew(aToken()))
    await textOf(lists)
    await lists.close()
    expect(world.warnings).toHaveLength(1)
  })

  test('after a first attempt that failed', async () => {
    const path = join(world.folder, 'later')
    writeFileSync(path, '')
    const lists = start({ path })
    await textOf(lists)
    await expect.poll(() => world.warnings.length).toBeGreaterThan(0)
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
    expect(world.warnings).toEqual([])
  })

  test('and old leftovers of a killed process are removed', async () => {
    const [old, young] = ['a.draft-1', 'a.draft-2'].map((name) => join(world.folder, name)) as [
      string,
      string,
    ]
    for (const path of [old, young]) writeFileSync(path, '')
    utimesSync(old, 0, 0)
    await keep()
    expect(existsSync(old)).toBe(false)
    expect(existsSync(young)).toBe(true)
  })
})

test.skipIf(process.platform !== 'linux')('no file is left open', async () => {
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

test('a list that keeps changing pauses between two writes', async () => {
  const lists = start({ pauseMs: 1_000_000 })
  await textOf(lists)
  await expect.poll(() => files().length).toBe(1)
  const { mtimeMs } = statSync(onlyFile())
  await sql.query(`UPDATE token SET description = 'by hand'`)
  await changePolicy({ ...POLICY, Name: 'renamed' })
  await textOf(lists)
  await lists.close()
  expect(statSync(onlyFile()).mtimeMs).toBe(mtimeMs)
})

test('the least recently used file is removed to make room for another', async () => {
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

describe('a list too long for memory', () => {
  /** Makes the list longer than 4 MiB, up to which lists are kept in memory whatever the cache size. */
  const Description = 'x'.repeat(4_000)
  const streaming = { cacheBytes: 100 }

  beforeEach(() => sql.query('UPDATE token SET description = $1', [Description]))

  test('is written while it is streamed, and then streamed from its file', async () => {
    const lists = start(streaming)
    expect(await lists.whole(request())).toBeUndefined()
    await textOf(lists)
    await lists.close()
    expect(files()).toHaveLength(1)
    const next = start(streaming)
    // Its file records that it is too long.
    expect(await readsOf(next)).toBe(0)
    await remove(world.records[900] as TokenRecord)
    expect(await readsOf(next)).toBeLessThan(COUNT / 4)
    await next.close()
    expect(world.warnings).toEqual([])
  })

  test.each([
    [
      'changed',
      () => sql.query(`UPDATE token SET description = description || 'y' WHERE create_index % 2 = 0`),
    ],
    ['grown', () => put(...Array.from({ length: COUNT / 4 }, () => putNew(aToken({ Description }))))],
  ])('that has %s is written again while it is streamed', async (_how, change) => {
    await keep(streaming)
    await change()
    const lists = start(streaming)
    expect(await readsOf(lists)).toBeGreaterThan(COUNT / 10)
    await readsOf(lists)
    await lists.close()
    expect(await readsOf(start(streaming))).toBe(0)
  })

  test('that becomes short is read into memory again', async () => {
    await textOf(start(streaming))
    const lists = start(streaming)
    await textOf(lists)
    await lists.close()
    await sql.query('DELETE FROM token WHERE create_index > $1', [
      (await store.tokenByAccessor(world.records[399]?.AccessorID ?? ''))?.CreateIndex,
    ])
    const next = start(streaming)
    await textOf(next)
    await next.close()
    expect(await start(streaming).whole(request())).toBeDefined()
  })

  test('whose reader disconnects is not kept', async () => {
    const lists = start(streaming)
    await lists.whole(request())
    for await (const piece of lists.streamed(request())) if (piece.length > 0) break
    await lists.close()
    expect(files()).toEqual([])
    expect(world.warnings).toEqual([])
  })

  test('with several concurrent readers is written once', async () => {
    const opened = vi.spyOn(ListFileWriter, 'open')
    const lists = start(streaming)
    const texts = await Promise.all([textOf(lists), textOf(lists), textOf(lists)])
    expect(new Set(texts).size).toBe(1)
    await lists.close()
    expect(opened).toHaveBeenCalledOnce()
    expect(world.warnings).toEqual([])
  })

  test('and too long for the files is not kept', async () => {
    const lists = start({ ...streaming, filesMax: 1_000_000 })
    await textOf(lists)
    await readsOf(lists)
    await lists.close()
    expect(files()).toEqual([])
    expect(world.warnings).toContain('a list of tokens could not be kept in a file')
  })
})
