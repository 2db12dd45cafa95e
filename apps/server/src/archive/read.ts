import { createHash } from 'node:crypto'
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
  LINE_BYTES_MAX,
  PART_BYTES_MAX,
  partSchema,
  type Rows,
} from './format.ts'

const decompress = promisify(zstdDecompress)
const NEWLINE = 10

export type ArchiveItem =
  | { readonly kind: 'header'; readonly header: ArchiveHeader }
  | { readonly kind: 'rows'; readonly rows: Rows }
  | { readonly kind: 'end'; readonly end: ArchiveEnd }

export interface VerifiedArchive {
  readonly header: ArchiveHeader
  readonly end: ArchiveEnd
}

/**
 * Reads an archive, one part at a time, and verifies every checksum; it is only complete after its end.
 * @throws AclError `snapshot_invalid`; `snapshot_refused` for a newer format.
 */
export async function* readArchive(archive: AsyncIterable<Uint8Array>): AsyncGenerator<ArchiveItem> {
  const reader = new Reader(archive)
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

export function damaged(problem: string, cause?: unknown): AclError {
  return new AclError('snapshot_invalid', `The archive is damaged: ${problem}`, { cause })
}

/** Reads lines and runs of bytes from pieces of any length. */
class Reader {
  private readonly pieces: AsyncIterator<Uint8Array>
  private readonly hash = createHash('sha256')
  private held: Buffer = Buffer.alloc(0)
  private at = 0

  constructor(archive: AsyncIterable<Uint8Array>) {
    this.pieces = archive[Symbol.asyncIterator]()
  }

  wholeHash(): string {
    return this.hash.copy().digest('hex')
  }

  /** The JSON of a line whose hash matches, and where it begins. */
  async line(what: string): Promise<{ readonly json: string; readonly at: number }> {
    const { at } = this
    let end = this.held.indexOf(NEWLINE)
    while (end < 0) {
      const searched = this.held.length
      if (searched > LINE_BYTES_MAX) throw damaged(`${what} (byte ${at}) has no line end`)
      await this.hold(searched + 1, what)
      end = this.held.indexOf(NEWLINE, searched)
    }
    const text = this.take(end + 1).toString('utf8', 0, end)
    const json = text.slice(65)
    if (text[64] !== ' ' || hashOf(json) !== text.slice(0, 64))
      throw damaged(`${what} (byte ${at}) has a wrong checksum`)
    return { json, at }
  }

  async bytes(length: number, what: string): Promise<Buffer> {
    await this.hold(length, what)
    return this.take(length)
  }

  async requireEnd(): Promise<void> {
    while (this.held.length === 0) {
      const { done, value } = await this.pieces.next()
      if (done) return
      this.held = Buffer.from(value)
    }
    throw damaged(`something follows its last line (byte ${this.at})`)
  }

  /** Reads on until this many bytes are held. */
  private async hold(length: number, what: string): Promise<void> {
    const pieces: Uint8Array[] = [this.held]
    let missing = length - this.held.length
    while (missing > 0) {
      const { done, value } = await this.pieces.next()
      if (done) throw damaged(`it ends at byte ${this.at + length - missing}, within ${what}`)
      pieces.push(value)
      missing -= value.length
    }
    if (pieces.length > 1) this.held = Buffer.concat(pieces)
  }

  private take(length: number): Buffer {
    const taken = this.held.subarray(0, length)
    this.held = this.held.subarray(length)
    this.at += length
    this.hash.update(taken)
    return taken
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
