import { promisify } from 'node:util'
import { zstdDecompress } from 'node:zlib'
import { AclError } from '@latchkey/contract'
import type * as z from 'zod'
import {
  type ArchiveEnd,
  type ArchiveHeader,
  endSchema,
  FORMAT,
  formatSchema,
  hashOf,
  headerSchema,
  PART_BYTES_MAX,
  partSchema,
  type Rows,
} from './format.ts'
import { damaged, PieceReader } from './piece-reader.ts'
import { unwrapped } from './tarball.ts'

const decompress = promisify(zstdDecompress)

export type ArchiveItem =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  | { readonly kind: 'rows'; readonly rows: Rows }
  | { readonly kind: 'end'; readonly end: ArchiveEnd }

export interface VerifiedArchive {
  readonly header: ArchiveHeader
  readonly end: ArchiveEnd
}

/**
 * Reads an archive, also one in a tarball, one part at a time, and verifies every checksum; it is only complete after its end.
 * @throws AclError `snapshot_invalid`; `snapshot_refused` for a newer format.
 */
export async function* readArchive(archive: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveItem> {
  const reader = new PieceReader(unwrapped(archive))
  const { json: first } = await reader.line('the header')
  const format = parse(formatSchema, first, 'the header').format
  if (format > FORMAT) {
    throw new AclError(
      'snapshot_refused',
      `The archive has format ${format}, and this version of Latchkey reads up to ${FORMAT}: use a newer version`,
    )
  }
  yield { kind: 'header', header: parse(headerSchema, first, 'the header') }
  const records: Record<string, number> = {}
  for (let parts = 0; ; parts += 1) {
    const before = reader.wholeHash()
    const { json, at } = await reader.line(`part ${parts + 1}`)
    const what = `part ${parts + 1} (byte ${at})`
    if ('end' in asObject(json)) {
      const end = parse(endSchema, json, 'the last line')
      if (end.sha256 !== before) throw damaged('its parts are not those that were written')
      if (end.parts !== parts || !isSame(end.records, records))
        throw damaged('its last line does not fit its parts')
      await reader.requireEnd()
      yield { kind: 'end', end }
      return
    }
    const part = parse(partSchema, json, what)
    if (part.part !== parts + 1 || part.bytes > PART_BYTES_MAX)
      throw damaged(`${what} has a wrong number or length`)
    const bytes = await reader.bytes(part.bytes, what)
    if (hashOf(bytes) !== part.sha256)
      throw damaged(`${what}, of the table ${part.table}, has a wrong checksum`)
    records[part.table] = (records[part.table] ?? 0) + part.rows
    const { table, rows: count } = part
    yield { kind: 'rows', rows: { table, count, json: await textOf(bytes, what) } }
  }
}

/** Reads a whole archive. @param check called with the header before anything else is read. */
export async function verifyArchive(
  archive: AsyncIterable<Uint8Array>,
  check: (header: ArchiveHeader) => void = () => {},
): Promise<VerifiedArchive> {
  let header: ArchiveHeader | undefined
  for await (const item of readArchive(archive)) {
    if (item.kind === 'header') {
      header = item.header
      check(header)
    }
    if (item.kind === 'end' && header) return { header, end: item.end }
  }
  throw damaged('it has no end')
}

async function textOf(bytes: Buffer, what: string): Promise<string> {
  try {
    return (await decompress(bytes, { maxOutputLength: PART_BYTES_MAX })).toString('utf8')
  } catch (cause) {
    throw damaged(`${what} cannot be decompressed to at most ${PART_BYTES_MAX} bytes`, cause)
  }
}

function asObject(json: string): object {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

function parse<S extends z.ZodType>(schema: S, json: string, what: string): z.output<S> {
  const parsed = schema.safeParse(asObject(json))
  if (!parsed.success) throw damaged(`${what} does not have the form of an archive`)
  return parsed.data
}

function isSame(a: Readonly<Record<string, number>>, b: Readonly<Record<string, number>>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => a[name] === b[name])
}
