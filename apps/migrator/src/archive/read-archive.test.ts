import { gzipSync } from 'node:zlib'
import type { DumpRecord } from '@latchkey/acl'
import { describe, expect, test } from 'vitest'
import {
  encodeState,
  packFiles,
  time,
  type WrittenRecord,
  writeArchive,
} from '../../test/archive/write-archive.ts'
import { type ArchiveContents, readArchive } from './read-archive.ts'
import { ARCHIVE_LIMITS, unpackArchive } from './unpack.ts'

const SECRET = 'canary-5d1c'

/** A key with a special meaning in JavaScript. */
const RESERVED_KEY: Record<string, string> = JSON.parse('{"__proto__":"y"}')

interface Read {
  readonly tokens: readonly object[]
  readonly records: readonly DumpRecord[]
  readonly contents: ArchiveContents
}

/** Reads an archive in pieces, which split records and headers at any position. */
async function read(archive: Uint8Array, pieceBytes = 64 * 1024): Promise<Read> {
  const pieces = async function* () {
    for (let i = 0; i < archive.length; i += pieceBytes) yield archive.subarray(i, i + pieceBytes)
  }
  const reading = readArchive(pieces())
  const records: DumpRecord[] = []
  for (;;) {
    const next = await reading.next()
    if (next.done === true)
      return { tokens: records.map(({ value }) => value), records, contents: next.value }
    records.push(...next.value)
  }
}

const LEGACY: WrittenRecord = {
  type: 4,
  value: {
    ID: `${SECRET}-1`,
    Name: 'Ärger & Söhne',
    Type: 'client',
    Rules: 'key "app/" { policy = "read" }',
    CreateIndex: 12,
    ModifyIndex: 2 ** 33,
  },
}
const newToken = (fields: Record<string, WrittenRecord['value']>): WrittenRecord => ({
  type: 17,
  value: {
    AccessorID: 'fe3bf6c5-0f6f-4c45-8f1a-2a6a5ab6a9aa',
    SecretID: `${SECRET}-2`,
    Description: 'web',
    Policies: [{ ID: 'p-1', Name: '' }],
    Type: '',
    Rules: '',
    Local: false,
    CreateTime: time(1_600_000_000n),
    Hash: Uint8Array.of(0xff, 0xfe, 0x80),
    CreateIndex: 20,
    ModifyIndex: 300,
    ...fields,
  },
})

describe('what an archive holds', () => {
  test('tokens of the old form are records of the legacy list, whatever the length of texts and numbers', async () => {
    const rules = 'key "x" { policy = "read" } '.repeat(10)
    const long = 'service "y" { policy = "write" } '.repeat(3_000)
    const records = [rules, long].map((Rules) => ({ type: 4, value: { ...(LEGACY.value as object), Rules } }))
    const { tokens } = await read(await writeArchive([LEGACY, ...records]))
    expect(tokens).toEqual([
      LEGACY.value,
      { ...(LEGACY.value as object), Rules: rules },
      { ...(LEGACY.value as object), Rules: long },
    ])
  })

  test('pieces of any size give the same records, each with its offset in state.bin', async () => {
    const archive = await writeArchive([LEGACY, newToken({}), LEGACY])
    const whole = await read(archive)
    for (const size of [1, 2, 3, 7, 100]) expect((await read(archive, size)).records).toEqual(whole.records)
    expect(whole.records.map(({ byte }) => byte)).toEqual([
      encodeState([]).length,
      encodeState([LEGACY]).length,
      encodeState([LEGACY, newToken({})]).length,
    ])
  })

  test('from 1.4.0 a token without an accessor is one of the legacy list, and one with an accessor keeps links and rules', async () => {
    const { tokens, contents } = await read(
      await writeArchive([
        newToken({ AccessorID: '', Type: 'management', Policies: null }),
        newToken({ Rules: 'key "" {}', Type: 'client', Policies: null }),
        newToken({ Local: true, ServiceIdentities: [{ ServiceName: 'db' }] }),
      ]),
    )
    expect(tokens).toMatchObject([
      { ID: `${SECRET}-2`, Name: 'web', Type: 'management', Rules: '', CreateIndex: 20 },
      { AccessorID: expect.any(String), Rules: 'key "" {}', Policies: [], ServiceIdentities: [] },
      { Local: true, Policies: [{ ID: 'p-1' }], ServiceIdentities: [['ServiceName']] },
    ])
    expect(tokens[0]).not.toHaveProperty('AccessorID')
    expect(contents).toMatchObject({ legacyRecords: 0, newRecords: 3 })
  })

  test('servers, intentions and the state of bootstrap come with it; other records are skipped', async () => {
    const server = (Node: string, Meta: WrittenRecord['value']): WrittenRecord => ({
      type: 0,
      value: {
        Datacenter: 'dc7',
        Node,
        Address: '10.0.0.1',
        Service: { ID: 'consul', Service: 'consul', Meta },
      },
    })
    const { contents, tokens } = await read(
      await writeArchive([
        server('s1', { version: '1.8.7+ent' }),
        server('s2', null),
        { type: 0, value: { Node: 'web-1', Service: { Service: 'web' }, CreateIndex: 3 } },
        { type: 0, value: { Node: 'web-1', Service: null } },
        { type: 2, value: { Key: '\u0000', Value: Uint8Array.of(0xff, 0x00), Flags: 2n ** 64n - 1n } },
        { type: 3, value: { LockDelay: -5_000_000_000, Checks: [1.5, true, false, null] } },
        {
          type: 12,
          value: { SourceNS: 'default', SourceName: 'a', DestinationName: 'b', Meta: RESERVED_KEY },
        },
        { type: 19, value: { ID: 'p-1', Name: 'readers', Rules: 'key_prefix "" {}', Datacenters: ['dc7'] } },
        { type: 16, value: { Key: 'acl-token-bootstrap', Value: 9 } },
        { type: 22, value: { Entry: { Kind: 'service-intentions', Name: 'b' }, Op: '' } },
        { type: 99, value: { Secret: SECRET } },
        { type: 99, value: { Other: 1 } },
      ]),
    )
    expect(tokens).toEqual([])
    expect([...contents.servers.values()]).toMatchObject([
      { name: 's1', datacenter: 'dc7', version: { text: '1.8.7' } },
      { name: 's2', datacenter: 'dc7', version: undefined },
    ])
    expect(contents.intentions).toEqual([
      { source: 'a', destination: 'b', namespace: 'default', sourceNamespace: 'default', hasMeta: true },
    ])
    expect(contents).toMatchObject({ bootstrapped: true })
    expect([...contents.unknown]).toEqual([[99, 2]])
  })

  test('the old record of bootstrap says whether it was still allowed', async () => {
    const of = async (AllowBootstrap: boolean) =>
      (await read(await writeArchive([{ type: 11, value: { AllowBootstrap } }]))).contents.bootstrapped
    expect([await of(true), await of(false)]).toEqual([false, true])
  })
})

describe('what is refused, by name', () => {
  const sum = '0'.repeat(64)
  const small: [string, string][] = [
    ['meta.json', '{}'],
    ['state.bin', ''],
    ['SHA256SUMS', ''],
  ]
  const damaged = (change: Parameters<typeof writeArchive>[1]) => () => writeArchive([], change)
  const state = (...bytes: number[]) => Uint8Array.from(bytes)
  const cutState = encodeState([LEGACY]).subarray(0, -1)
  const NO_RECORDS = 'state.bin is not a list of msgpack records'
  const cases: [string, () => Promise<Uint8Array>, string][] = [
    ['a gzip file of a list', async () => gzipSync('[{"ID":"x"}]'), 'is not a snapshot archive'],
    ['an empty gzip file', async () => gzipSync(''), 'is not a snapshot archive'],
    ['an archive that is cut off', async () => (await big()).subarray(0, 40_000), 'the archive is cut off'],
    ['one with a changed byte', async () => flip(await big()), 'the archive is damaged'],
    [
      'a wrong checksum',
      damaged({ sums: `${sum}  meta.json\n${sum}  state.bin\n` }),
      'the checksum of meta.json is wrong',
    ],
    ['a missing checksum', damaged({ sums: '' }), 'SHA256SUMS has no checksum of meta.json'],
    ['a line that is no checksum', damaged({ sums: 'x' }), 'SHA256SUMS has a line that is no checksum'],
    ['no checksums', () => packFiles(small.slice(0, 2)), 'SHA256SUMS is missing'],
    ['no state', () => packFiles(small.filter(([name]) => name !== 'state.bin')), 'state.bin is missing'],
    ['a file twice', () => packFiles([...small, ['meta.json', '{}']]), 'meta.json is in the archive twice'],
    ['an unexpected file', () => packFiles([['notes.txt', SECRET]]), 'an unexpected file, "notes.txt"'],
    [
      'a path that leaves it',
      () => packFiles([['../../etc/passwd', '']]),
      'a path that leaves it, "../../etc/passwd"',
    ],
    ['an absolute path', () => packFiles([['/etc/passwd', '']]), 'a path that leaves it, "/etc/passwd"'],
    [
      'meta.json of a megabyte',
      () => packFiles([['meta.json', ' '.repeat(2 ** 20 + 1)]]),
      'meta.json is larger than 1048576 bytes',
    ],
    ['another size in meta.json', damaged({ meta: { Size: 3 } }), 'but meta.json says 3'],
    ['an empty state', damaged({ state: state() }), 'state.bin is empty'],
    [
      'a state that ends inside a record',
      damaged({ state: cutState }),
      'state.bin is cut off inside a record',
    ],
    ['a state that is no msgpack', damaged({ state: state(0x80, 4, 0xc1) }), NO_RECORDS],
    [
      'a record that is no map',
      damaged({ state: state(0x80, 4, 0x05) }),
      'a record of state.bin is not a map',
    ],
    ['a header that is followed by no type', damaged({ state: state(0x80, 0x81) }), NO_RECORDS],
    [
      'a text that is not UTF-8',
      () => writeArchive([newToken({ Description: Uint8Array.of(0xff) })]),
      'a text in a record of state.bin is not UTF-8',
    ],
  ]

  test.each(cases)('SEC-01: %s', async (_, archive, message) => {
    const bytes = await archive()
    const error: unknown = await read(bytes).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ name: 'ArchiveError', message: expect.stringContaining(message) })
    expect(String(error)).not.toContain(SECRET)
  })

  test('a record that claims a list of four billion values is refused before it takes memory', async () => {
    const state = Buffer.concat([
      Uint8Array.of(0x80, 4, 0xdd, 0xff, 0xff, 0xff, 0xff),
      Buffer.alloc(33 * 2 ** 20),
    ])
    await expect(read(await writeArchive([], { state }))).rejects.toThrow(
      'a record is larger than 33554432 bytes',
    )
  })

  test('an archive that unpacks to far more than its size, or than the limit, is refused on the way', async () => {
    const archive = await writeArchive([], { state: Buffer.alloc(2 ** 20) })
    const unpack = async (limits: Partial<typeof ARCHIVE_LIMITS>) => {
      let bytes = 0
      const chunks = unpackArchive(pieces(archive), { ...ARCHIVE_LIMITS, ...limits })
      try {
        for await (const chunk of chunks) bytes += chunk.length
      } catch (error) {
        return { bytes, error: String(error) }
      }
      return { bytes, error: '' }
    }
    expect(await unpack({})).toEqual({ bytes: 2 ** 20, error: '' })
    const tooLarge = await unpack({ bytesMax: 100_000 })
    expect(tooLarge.error).toContain('unpacks to more than 100000 bytes')
    expect(tooLarge.bytes).toBeLessThan(100_000)
    const bomb = await unpack({ ratioFromBytes: 65_536 })
    expect(bomb.error).toContain('unpacks to more than 250 times its size')
    expect(bomb.bytes).toBeLessThan(2 ** 20)
  })
})

async function* pieces(bytes: Uint8Array) {
  yield bytes
}

/** An archive with incompressible content. */
function big(): Promise<Uint8Array> {
  const tokens = Array.from({ length: 5_000 }, (_, i) =>
    newToken({
      SecretID: `${SECRET}-${Math.imul(i + 1, 2_654_435_761) >>> 0}-${Math.imul(i, 40_503) >>> 0}`,
    }),
  )
  return writeArchive(tokens)
}

function flip(bytes: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const middle = copy.length >> 1
  copy[middle] = (copy[middle] ?? 0) ^ 0x55
  return copy
}
