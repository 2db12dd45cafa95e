import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { GLOBAL_MANAGEMENT_POLICY_ID } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import type { Change } from '@latchkey/service'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { aNode, aSession } from '@latchkey/testkit/records/catalog-builders'
import {
  aBindingRule,
  aKey,
  aMethod,
  anId,
  anIntention,
  aPolicy,
  aRole,
  aToken,
} from '@latchkey/testkit/records/record-builders'
import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase, sql } from '../../test/database.ts'
import { openTestStore, putNew, testRing } from '../../test/store.ts'
import type { Signature } from '../secrets/key-ring.ts'
import type { PostgresStore } from '../storage/open-store.ts'
import { pagesOf, writeArchive } from './backup.ts'
import {
  ARCHIVED_TABLES,
  type ArchiveHeader,
  formatSchema,
  hashOf,
  lineOf,
  PART_BYTES_MAX,
  type Rows,
} from './format.ts'
import { readArchive } from './read.ts'
import { INDEX_GAP } from './restore.ts'
import { tarballOf } from './tarball.ts'

const put = <T extends Change['table']>(table: T, record: object) =>
  ({ table, op: 'put', record, expect: 0 }) as unknown as Change

const policy = aPolicy({ ID: anId(1), Name: 'Operators', Rules: 'acl = "read"' })
const capital = aToken({ AccessorID: anId(0xabc1).toUpperCase(), SecretID: anId(0xdef1).toUpperCase() })
const linked = aToken({ Policies: [{ ID: policy.ID }], Description: 'NUL \u0000 and \ud800' })
const method = aMethod({ Name: 'login' })
const intention = anIntention()

/** Records of every kind, each with its own rules for a row. */
const CHANGES: readonly Change[] = [
  put('policies', policy),
  put('roles', aRole({ ID: anId(2) })),
  putNew(capital),
  putNew(linked),
  put('authMethods', method),
  put('bindingRules', aBindingRule({ ID: anId(3), AuthMethod: 'login' })),
  put('intentions', intention),
  put('kv', aKey({ Key: 'bytes', Value: Uint8Array.from([0, 255, 10]), Flags: 2n ** 63n })),
  put('system', {
    Key: 'replication-token',
    Value: { Token: 'of the primary' },
    CreateIndex: 0,
    ModifyIndex: 0,
  }),
]

/** Every other table, with the reason for leaving it out. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  commit_index: 'The header has the index; a restore continues above it.',
  change: 'The log of changes to a store that a restore replaces: every reader begins again.',
  change_reader: 'Positions in that log.',
  member: 'The processes of the moment.',
  login_state: 'Logins in a browser, which live for minutes.',
  lock_delay: 'Delays of a minute at most.',
  lookup_key: 'A key: hashes are made again with that of the restored store.',
  schema_compatibility: 'Which servers can run on this schema.',
  sealing_key: 'The header has the samples; secrets are sealed again with the active key.',
}

const folder = temporaryFolder('archive')
const stray = aToken()
const source = await openTestStore({ ring: testRing('old') })
for (const change of CHANGES) await source.commit([change])
const archive = await archiveOf(source)
const targetDatabase = await createTestDatabase()
const ring = testRing('new', 'old')
const target = await openTestStore({ url: targetDatabase.url, ring })
const neighbour = await openTestStore({ url: targetDatabase.url, ring })
await target.commit([putNew(stray), put('kv', aKey({ Key: 'stray' }))])

async function archiveOf(store: PostgresStore): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of store.archives.read()) pieces.push(piece)
  return Buffer.concat(pieces)
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The refusal of an archive, by code and text. */
async function refusalOf(bytes: Uint8Array, store = target, options = SIGNED): Promise<string> {
  const restoring = store.archives.restore(once(bytes), options)
  const error: unknown = await restoring.catch((thrown: unknown) => thrown)
  if (!(error instanceof AclError)) throw new Error(`restored, or failed: ${error}`)
  return `${error.code}: ${error.message}`
}

const SIGNED = { isUnauthenticated: false }
const UNAUTHENTICATED = { isUnauthenticated: true }

interface Forgery {
  readonly header?: (header: ArchiveHeader) => ArchiveHeader
  /** @returns undefined for no part. */
  readonly rows?: (rows: Rows) => Rows | undefined
  /** Default: that of the archive. */
  readonly signature?: 'none' | Signature
}

/** The archive with other content and correct checksums, as anyone can make it who may write the file. */
async function forge({
  header: headerOf = (same) => same,
  rows: rowsOf = (same) => same,
  signature,
}: Forgery) {
  let header: ArchiveHeader | undefined
  let signed: Signature | undefined
  const pages: Rows[] = []
  for await (const item of readArchive(once(archive))) {
    if (item.kind === 'header') header = headerOf(item.header)
    if (item.kind === 'rows') pages.push(...[rowsOf(item.rows)].flatMap((rows) => rows ?? []))
    if (item.kind === 'end') signed = item.end.signature
  }
  if (!header || !signed) throw new Error('the archive has no header or no signature')
  const own = signature ?? signed
  // Without a signature, the last line is that of an older version.
  const ring = { sign: () => (own === 'none' ? undefined : own) as Signature }
  const pieces: Uint8Array[] = []
  for await (const piece of writeArchive(
    header,
    (async function* () {
      yield* pages
    })(),
    ring,
  ))
    pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A policy that grants what the archived one did not. */
function grant({ table, count, json }: Rows): Rows {
  return { table, count, json: json.replace('acl = \\"read\\"', 'acl = \\"write\\"') }
}

/** The same archive with a different header. */
function withHeader(change: (header: Record<string, unknown>) => object): Buffer {
  const end = archive.indexOf('\n')
  const header = formatSchema.parse(JSON.parse(archive.toString('utf8', 65, end)))
  return Buffer.concat([lineOf({ ...header, ...change(header) }), archive.subarray(end + 1)])
}

test('every table of the schema is in an archive, or left out for a reason', () => {
  const schema = readFileSync(join(import.meta.dirname, '../../prisma/schema.prisma'), 'utf8')
  const tables = [...schema.matchAll(/@@map\("(\w+)"\)/g)].map(([, name]) => name ?? '')
  expect(tables.length).toBeGreaterThan(20)
  expect([...ARCHIVED_TABLES, ...Object.keys(LEFT_OUT)].sort()).toEqual(tables.sort())
})

test('a damaged archive is refused wherever it is damaged, and nothing changes', async () => {
  const lastLine = archive.lastIndexOf('{"end"') - 65
  const at = [0, 70, archive.indexOf('\n') + 3, Math.floor(archive.length / 2), lastLine - 1, lastLine + 80]
  for (const byte of at) {
    const flipped = Buffer.from(archive)
    flipped.writeUInt8(flipped.readUInt8(byte) ^ 1, byte)
    expect(await refusalOf(flipped), `byte ${byte}`).toMatch(/^snapshot_invalid: The archive is damaged: /)
  }
  for (const length of [
    0,
    10,
    archive.indexOf('\n') + 1,
    Math.floor(archive.length / 2),
    lastLine,
    archive.length - 1,
  ]) {
    expect(await refusalOf(archive.subarray(0, length)), `of ${length} bytes`).toMatch(
      /^snapshot_invalid: .* it ends at byte/,
    )
  }
  expect(await refusalOf(Buffer.concat([archive, Buffer.from('\n')]))).toMatch(
    /something follows its last line/,
  )
  const shorter = Buffer.concat([archive.subarray(0, archive.indexOf('\n') + 1), archive.subarray(lastLine)])
  expect(await refusalOf(shorter)).toMatch(/its parts are not those that were written/)
  await expectUnchanged()
})

test('an archive for another server is refused by name, and nothing changes', async () => {
  expect(await refusalOf(withHeader(() => ({ format: 2 })))).toMatch(/^snapshot_refused: .*format 2/)
  expect(await refusalOf(withHeader(() => ({ datacenter: 'dc2' })))).toMatch(
    /^snapshot_refused: .*"dc2".*"dc1"/,
  )
  expect(await refusalOf(withHeader(() => ({ serviceVersion: '1.4.0' })))).toMatch(
    /LATCHKEY_SERVICE_VERSION=1\.4\.0/,
  )
  const newer = withHeader(({ migrations }) => ({
    migrations: [...(migrations as string[]), '20990101_later'],
  }))
  expect(await refusalOf(newer)).toMatch(/^snapshot_refused: .*20990101_later/)
  const other = await openTestStore({ ring: testRing('other') })
  expect(await refusalOf(archive, other)).toMatch(
    /^snapshot_refused: .*the key old is missing here.*has other/,
  )
  const sample = Buffer.alloc(28).toString('base64')
  const wrong = withHeader(() => ({ keys: [{ id: 'old', sample }] }))
  expect(await refusalOf(wrong)).toMatch(/^snapshot_refused: .*the key old is another one here/)
  await expectUnchanged()
})

test('SEC-04: an archive whose content was changed is refused, whatever its checksums say; one without an HMAC needs the option', async () => {
  const edited = await forge({ rows: grant })
  expect(edited.includes('write')).toBe(false)
  expect(await refusalOf(edited)).toMatch(/^snapshot_invalid: .*changed after it was made.*by the key old/)
  expect(await refusalOf(edited, target, UNAUTHENTICATED)).toMatch(/^snapshot_invalid/)
  const older = await forge({ header: ({ index, ...header }) => ({ ...header, index: index + 1 }) })
  expect(await refusalOf(older)).toMatch(/^snapshot_invalid/)
  const stripped = await forge({ rows: grant, signature: 'none' })
  expect(await refusalOf(stripped)).toMatch(
    /^snapshot_refused: .*no HMAC.*--unauthenticated \(\?unauthenticated/,
  )
  await expectUnchanged()
  const store = await openTestStore({ ring: testRing('new', 'old') })
  await store.archives.restore(once(stripped), UNAUTHENTICATED)
  expect(store.directory().policy(policy.ID)?.Rules).toBe('acl = "write"')
})

test('SEC-04: an archive by a key that the server does not have is refused, and says which key to add and where', async () => {
  const other = await openTestStore({ ring: testRing('other') })
  expect(await refusalOf(archive, other)).toMatch(
    /the key old is missing here; this server has other: .*LATCHKEY_ENCRYPTION_KEYS or encryption\.keys/,
  )
  const withoutKeys = { header: (header: ArchiveHeader) => ({ ...header, keys: [] }) }
  expect(await refusalOf(await forge(withoutKeys), other)).toMatch(
    /^snapshot_refused: .*HMAC is by the key old, and this server has other: add/,
  )
  const { keyId, hmac } = testRing('other').sign('', '')
  const foreign = await forge({ ...withoutKeys, signature: { keyId: 'new', hmac } })
  expect(keyId).toBe('other')
  expect(await refusalOf(foreign)).toMatch(/^snapshot_invalid: .*not by the key new/)
  expect(await refusalOf(await forge({ signature: { keyId: 'old', hmac: '' } }))).toMatch(/^snapshot_invalid/)
})

test('an unauthenticated archive is refused if a store could not go on with it: its index, no built-in policy, blanks', async () => {
  const store = await openTestStore({ ring: testRing('new', 'old') })
  await store.commit([
    put('policies', aPolicy({ ID: GLOBAL_MANAGEMENT_POLICY_ID, Name: 'global-management' })),
  ])
  const refusal = async (forgery: Forgery) =>
    refusalOf(await forge({ ...forgery, signature: 'none' }), store, UNAUTHENTICATED)
  expect(await refusal({})).toMatch(/^snapshot_invalid: .*built-in policy global-management/)
  expect(await refusal({ rows: () => undefined })).toMatch(/^snapshot_invalid: .*built-in policy/)
  const tables = ({ tables: { policy: _, ...rest } }: ArchiveHeader) => rest
  const withoutTable = (header: ArchiveHeader) => ({ ...header, tables: tables(header) })
  const isOther = (rows: Rows) => (rows.table === 'policy' ? undefined : rows)
  expect(await refusal({ header: withoutTable, rows: isOther })).toMatch(
    /^snapshot_invalid: .*built-in policy/,
  )
  for (const index of [2 ** 52 + 1, Number.MAX_SAFE_INTEGER])
    expect(await refusal({ header: (header) => ({ ...header, index }) })).toMatch(/^snapshot_invalid: .*form/)
  const blanks: Rows = { table: 'kv', count: 0, json: `[${' '.repeat(PART_BYTES_MAX)}]` }
  expect(await refusal({ rows: (rows) => (rows.table === 'kv' ? blanks : rows) })).toMatch(
    /^snapshot_invalid: .*decompressed to at most/,
  )
  const late = (rows: Rows) => ({
    ...rows,
    json: rows.json.replace(/"create_index":\d+/, '"create_index":9007199254740990'),
  })
  const lateRows = await forge({ rows: late, signature: 'none' })
  expect(await refusalOf(lateRows, target, UNAUTHENTICATED)).toMatch(/an index that no store reaches/)
})

async function expectUnchanged(): Promise<void> {
  await target.refresh('consistent')
  expect((await target.tokenBySecret(stray.SecretID))?.AccessorID).toBe(stray.AccessorID)
  expect(target.directory().policy(policy.ID)).toBeUndefined()
}

test('UPG-01: on the schema of a newer server, backup and restore are refused instead of leaving out what this server does not know', async () => {
  await sql(
    targetDatabase.url,
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '20990101_later', now())`,
  )
  expect(await refusalOf(archive)).toMatch(/^unavailable: .*20990101_later/)
  await expect(archiveOf(target)).rejects.toThrow('20990101_later')
  await sql(targetDatabase.url, `DELETE FROM _prisma_migrations WHERE id = 'x'`)
  await expectUnchanged()
})

test('DUR-11: a restore replaces every record under another lookup key, on all processes; watchers wake, and indexes grow', async () => {
  await neighbour.refresh('consistent')
  expect((await neighbour.tokenBySecret(stray.SecretID))?.AccessorID).toBe(stray.AccessorID)
  const before = target.commitIndex()
  const waiting = neighbour.wait('policies', neighbour.tableIndex('policies'), 60_000)
  const holdBoth = async () => {
    for (const store of [target, neighbour]) await store.refresh('default')
    return [target, neighbour].every((store) => store.status().hasLease)
  }
  await expect.poll(holdBoth, { timeout: 20_000 }).toBe(true)
  const restored = await target.archives.restore(once(archive), SIGNED)
  expect(await waiting).toBe('changed')
  expect(restored.Index).toBeGreaterThanOrEqual(before + INDEX_GAP)
  expect(restored.SnapshotIndex).toBe(source.commitIndex())
  expect(restored.Records).toMatchObject({ token: 2, policy: 1, role: 1, kv: 1, auth_method: 1 })
  await neighbour.refresh('default')
  for (const store of [target, neighbour]) {
    expect(store.commitIndex()).toBeGreaterThanOrEqual(restored.Index)
    expect(await store.tokenBySecret(stray.SecretID)).toBeUndefined()
    expect(await store.kvEntry('default', 'stray')).toBeUndefined()
    for (const token of [capital, linked]) {
      const found = await store.tokenBySecret(token.SecretID)
      const original = await source.tokenBySecret(token.SecretID)
      expect(found).toEqual({ ...original, ModifyIndex: restored.Index })
    }
    expect(store.directory().policy(policy.ID)?.Rules).toBe(policy.Rules)
    expect(store.directory().system('replication-token')?.Value).toEqual({ Token: 'of the primary' })
    expect(await store.kvEntry('default', 'bytes')).toMatchObject({
      Value: Buffer.from([0, 255, 10]),
      Flags: 2n ** 63n,
    })
    expect(await store.changesAfter(before)).toBeUndefined()
  }
  // New writes get higher indexes, and ids that differ only in case are still refused.
  expect(await neighbour.commit([putNew(aToken())])).toBeGreaterThan(restored.Index)
  const sameSecret = aToken({ SecretID: capital.SecretID.toLowerCase() })
  await expect(target.commit([putNew(sameSecret)])).rejects.toMatchObject({ reason: 'secret_in_use' })
})

test('DUR-11: a restore goes above the index of the archive, and gives sessions a whole lifetime', async () => {
  const [from, to] = [await createTestDatabase(), await createTestDatabase()]
  const store = await openTestStore({ url: from.url, ring: testRing('old') })
  await store.commit([put('nodes', aNode({ Node: 'one' }))])
  await store.commit([put('sessions', aSession({ ID: anId(7), Node: 'one' }))])
  const index = 7_000_000
  await sql(from.url, "UPDATE session SET renewed_at = now() - interval '1 hour'")
  await sql(from.url, 'UPDATE commit_index SET index = $1', [index])
  const bytes = await archiveOf(store)
  const empty = await openTestStore({ url: to.url, ring: testRing('new', 'old') })
  const { Index } = await empty.archives.restore(once(bytes), SIGNED)
  expect(Index).toBeGreaterThanOrEqual(index + INDEX_GAP)
  const rows = await sql(to.url, "SELECT renewed_at > now() - interval '1 minute' AS renewed FROM session")
  expect(rows).toEqual([{ renewed: true }])
})

test('an archive has neither secrets nor keys in clear, and nothing in it is sealed by a key that it does not name', async () => {
  const rows = await sql(targetDatabase.url, 'SELECT DISTINCT secret_key_id AS id FROM token')
  expect(rows).toEqual([{ id: 'new' }])
  expect(archive.includes(capital.SecretID)).toBe(false)
})

test('of intentions of an older store that differ only in case, a restore keeps the one that denies', async () => {
  const database = await createTestDatabase()
  const store = await openTestStore({ url: database.url })
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  const rows = [
    ['A', 'Web', 'allow'],
    ['a', 'web', 'deny'],
    ['b', 'WEB', 'allow'],
    ['*', '\u00dcber "x"', 'allow'],
  ] as const
  for (const [source, destination, action] of rows) {
    await client.query(
      `INSERT INTO intention SELECT $1, 'default', $2, 'default', $3, $4, '[]', '', NULL, '{}', NULL, NULL, '', 1, 1`,
      [JSON.stringify(['default', destination, 'default', source]), source, destination, action],
    )
    await client.query(`INSERT INTO intention_destination VALUES ($1, 'default', $2, '{}', 1, 1)`, [
      JSON.stringify(['default', destination]),
      destination,
    ])
  }
  await client.end()
  await store.archives.restore(once(await archiveOf(store)), SIGNED)
  const intentions = store.directory().intentions()
  expect(intentions.list().map((each) => [each.SourceName, each.DestinationName, each.Action])).toEqual([
    ['a', 'web', 'deny'],
    ['b', 'WEB', 'allow'],
    ['*', '\u00dcber "x"', 'allow'],
  ])
  // The keys of the rows are those of the records, so each can be replaced.
  for (const record of intentions.list())
    await store.commit([{ table: 'intentions', op: 'put', record, expect: record.ModifyIndex }])
  const entry = intentions.entry({ DestinationNS: 'default', DestinationName: 'wEB' })
  if (!entry) throw new Error('no destination')
  const record = { ...entry.destination, Meta: { a: 'b' } }
  await store.commit([{ table: 'intentionDestinations', op: 'put', record, expect: record.ModifyIndex }])
})

test('an archive that is read during writes is one snapshot, at the index that it names', async () => {
  const pieces: Buffer[] = []
  const reading = target.archives.read()[Symbol.asyncIterator]()
  const { value: header } = await reading.next()
  pieces.push(Buffer.from(header))
  const later = aToken()
  await target.commit([putNew(later)])
  for (let next = await reading.next(); !next.done; next = await reading.next())
    pieces.push(Buffer.from(next.value))
  const other = await openTestStore({ ring: testRing('new') })
  const { SnapshotIndex } = await other.archives.restore(once(Buffer.concat(pieces)), SIGNED)
  expect(SnapshotIndex).toBeLessThan(target.commitIndex())
  expect(await other.tokenBySecret(later.SecretID)).toBeUndefined()
  expect((await other.tokenBySecret(linked.SecretID))?.AccessorID).toBe(linked.AccessorID)
})

test('a page of an archive has about a megabyte, even where long keys follow many short ones', async () => {
  const database = await createTestDatabase()
  const store = await openTestStore({ url: database.url })
  const Value = new Uint8Array(250_000)
  await store.commit(Array.from({ length: 60 }, (_, i) => put('kv', aKey({ Key: `short/${i}` }))))
  await store.commit(Array.from({ length: 10 }, (_, i) => put('kv', aKey({ Key: `long/${i}`, Value }))))
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
  const pages: { readonly count: number; readonly length: number }[] = []
  for await (const { table, count, json } of pagesOf(client)) {
    if (table === 'kv') pages.push({ count, length: json.length })
  }
  await client.end()
  expect(pages.reduce((sum, { count }) => sum + count, 0)).toBe(70)
  expect(pages.map(({ length }) => length).filter((length) => length > 1_100_000)).toEqual([])
  // Each long key is half a megabyte of text, so two share a page.
  expect(pages.length).toBeLessThan(10)
})

test('four backups and a restore run at the same time; a fifth backup and a second restore are refused: 503', async () => {
  const readings = Array.from({ length: 4 }, () => target.archives.read()[Symbol.asyncIterator]())
  for (const reading of readings) await reading.next()
  expect(() => target.archives.read()).toThrow(AclError)
  const restores = [refusalOf(Buffer.from('x')), refusalOf(archive)]
  expect(await Promise.all(restores)).toEqual([
    expect.stringMatching(/^snapshot_invalid/),
    expect.stringMatching(/^unavailable/),
  ])
  for (const reading of readings) await reading.return?.()
  expect((await archiveOf(target)).length).toBeGreaterThan(0)
})

/** A tarball with another state, as the command line of another service of this API makes it. */
const tarballWith = (state: Uint8Array) =>
  buffer(tarballOf(once(state), { index: 7, size: state.length, now: 0 }))

test('a tarball has the archive: two at once; one that is damaged, or has the state of another service, is refused', async () => {
  const read = async () => {
    const { index, pieces } = await source.archives.readTarball(undefined)
    return { index, bytes: await buffer(pieces) }
  }
  const [tarball] = await Promise.all([read(), read()])
  expect(tarball.index).toBe(source.commitIndex())
  const plain = gunzipSync(tarball.bytes)
  expect(plain.toString('latin1')).toMatch(/^meta\.json.*state\.bin.*SHA256SUMS/s)
  const size = Number.parseInt(plain.toString('latin1', 1_024 + 124, 1_024 + 135), 8)
  const state = plain.subarray(1_536, 1_536 + size)
  expect(plain.toString('latin1')).toContain(`${hashOf(state)}  state.bin\n`)
  const store = await openTestStore({ ring: testRing('new', 'old') })
  for (const at of [3, 700, tarball.bytes.length - 6]) {
    const flipped = Buffer.from(tarball.bytes)
    flipped.writeUInt8(flipped.readUInt8(at) ^ 0xff, at)
    expect(await refusalOf(flipped, store), `byte ${at}`).toMatch(/^snapshot_invalid/)
    expect(await refusalOf(tarball.bytes.subarray(0, at), store), `${at} bytes`).toMatch(/^snapshot_invalid/)
  }
  const foreign = await tarballWith(Buffer.from('\x81\xa9LastIndex\x07', 'latin1'))
  expect(await refusalOf(foreign, store)).toMatch(/^snapshot_refused: .*latchkey import --from URL/)
  await store.archives.restore(once(tarball.bytes), SIGNED)
  expect((await store.tokenBySecret(linked.SecretID))?.AccessorID).toBe(linked.AccessorID)
})

test('an archive that does not fit on the disk is refused with the reason, and the next backup and restore are not: 503', async () => {
  const archiveFolder = join(folder, 'kept')
  const store = await openTestStore({ ring: testRing('new', 'old'), archiveFolder })
  // No account, not even an administrator, can create a file below a file.
  writeFileSync(archiveFolder, '')
  expect(await refusalOf(archive, store)).toMatch(/^unavailable: Nothing was restored: .*ENOTDIR/)
  await expect(store.archives.readTarball(undefined)).rejects.toThrow(/Nothing was made: .*ENOTDIR/)
  expect((await archiveOf(store)).length).toBeGreaterThan(0)
  rmSync(archiveFolder)
  mkdirSync(archiveFolder)
  await store.archives.restore(once(archive), SIGNED)
  expect(readdirSync(archiveFolder)).toEqual([])
})
