/** The files of kept lists: what they reveal, and what happens if they are damaged or cannot be compared. */
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TokenRecord } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import { type BlockPlace, ListFileReader } from '../../src/token-lists/kept/list-file.ts'
import { openTokenLists } from '../../src/token-lists/open-token-lists.ts'
import { testRing } from '../store.ts'
import { COUNT, openKeptLists, POLICY } from './harness.ts'

const world = await openKeptLists()
const {
  store,
  counted,
  start,
  request,
  textOf,
  readsOf,
  keep,
  files,
  onlyFile,
  changePolicy,
  log,
  ring,
  digests,
} = world

function flip(bytes: Buffer, at: number): Buffer {
  const flipped = Buffer.from(bytes)
  flipped.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  return flipped
}

describe('a file', () => {
  test('reveals no token, and only its owner can read it', async () => {
    await keep()
    const bytes = readFileSync(onlyFile())
    const { SecretID, AccessorID } = world.records[0] as TokenRecord
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
    ['shifted by one byte', (bytes) => Buffer.concat([bytes.subarray(1), bytes.subarray(0, 1)])],
  ]

  test.each(DAMAGES)('that is %s changes no answer, and is replaced', async (_name, damage) => {
    await keep()
    const path = onlyFile()
    writeFileSync(path, damage(readFileSync(path)))
    const lists = start()
    expect(await readsOf(lists)).toBeGreaterThan(0)
    expect(world.warnings).toEqual(['a kept list of tokens cannot be used'])
    await lists.close()
    expect(await readsOf(start())).toBe(0)
  })

  describe('rejects a block from elsewhere:', () => {
    /** Two blocks of the same length. */
    async function blocksOf(path: string): Promise<[BlockPlace, BlockPlace]> {
      const reader = await ListFileReader.open(path, ring)
      await reader.close()
      const places = reader.index.chunks.map(({ place }) => place)
      const second = places.findLast(({ bytes, at }) =>
        places.some((other) => other.bytes === bytes && other.at < at),
      )
      const first = places.find(({ bytes }) => bytes === second?.bytes)
      if (!first || !second) throw new TypeError('all blocks have different lengths')
      return [first, second]
    }

    test('of the same file', async () => {
      await keep()
      const [a, b] = await blocksOf(onlyFile())
      const bytes = readFileSync(onlyFile())
      const block = Buffer.from(bytes.subarray(a.at, a.at + a.bytes))
      bytes.copy(bytes, a.at, b.at, b.at + b.bytes)
      block.copy(bytes, b.at)
      writeFileSync(onlyFile(), bytes)
      expect(await readsOf(start())).toBeGreaterThan(0)
      expect(world.warnings).toEqual(['a kept list of tokens cannot be used'])
    })

    test('of an earlier file of the same list', async () => {
      await keep()
      const earlier = readFileSync(onlyFile())
      await changePolicy({ ...POLICY, Name: 'other' })
      await keep()
      const bytes = readFileSync(onlyFile())
      const [{ at, bytes: length }] = await blocksOf(onlyFile())
      earlier.copy(bytes, at, at, at + length)
      writeFileSync(onlyFile(), bytes)
      expect(await readsOf(start())).toBeGreaterThan(0)
      expect(world.warnings).toEqual(['a kept list of tokens cannot be used'])
    })
  })

  test('encrypted with a key that is not in the ring is replaced', async () => {
    await keep({ keys: testRing('old') })
    await keep({ keys: testRing('new') })
    expect(world.warnings).toEqual(['a kept list of tokens cannot be used'])
    expect(await readsOf(start({ keys: testRing('newest', 'new') }))).toBe(0)
  })
})

test('a file with the name of another list cannot be decrypted', async () => {
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
  expect(world.warnings).toHaveLength(2)
})

test('a directory that cannot be written changes no answer', async () => {
  const path = join(world.folder, 'file')
  writeFileSync(path, '')
  const lists = start({ path })
  expect(await readsOf(lists)).toBe(COUNT)
  await lists.close()
  expect(world.warnings).toContain('a list of tokens could not be kept in a file')
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
    await changePolicy({ ...POLICY, Description: 'changed' })
    expect(await readsOf(lists)).toBe(COUNT)
    expect(calls).toBe(1)
    expect(world.warnings).toEqual(['a kept list of tokens could not be compared with the database'])
    expect(await readsOf(start())).toBe(0)
  })

  test('that finds no database fails at once', async () => {
    await keep()
    const away = new AclError('unavailable', 'later', {
      cause: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
    })
    const lists = start({ digests: { ...digests, chunks: () => Promise.reject(away) } })
    world.tokensRead = 0
    await expect(lists.whole(request())).rejects.toBe(away)
    expect(world.tokensRead).toBe(0)
  })
})

describe('a server keeps no files, and removes earlier ones,', () => {
  const SETTINGS = { cache: true, cacheBytes: 1e8, workers: 1, databaseConnections: 10, listFilesBytes: 1e8 }
  const CASES: readonly (readonly [string, object, boolean, boolean])[] = [
    ['if the limit is 0', { listFilesBytes: 0 }, true, false],
    ['without a cache', { cache: false }, true, false],
    ['if their key would be stored beside them but the database is not', {}, false, false],
    ['but keeps them with a key from the settings', { encryptionKeys: [] }, false, true],
    ['but keeps them with an embedded database', {}, true, true],
  ]

  test.each(CASES)('%s', async (_name, settings, isDatabaseEmbedded, keeps) => {
    await keep({ path: join(world.folder, 'token-lists') })
    await openTokenLists({
      config: { ...SETTINGS, ...settings } as unknown as Config,
      isDatabaseEmbedded,
      dataDir: world.folder,
      store: Object.assign(Object.create(store), { ring }),
      servedStore: counted,
      log,
    })
    expect(existsSync(join(world.folder, 'token-lists'))).toBe(keeps)
  })
})
