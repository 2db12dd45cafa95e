import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { zstdCompress } from 'node:zlib'
import type { KeyRing } from '../secrets/key-ring.ts'
import { type ArchiveHeader, SIGNATURE_CONTEXT } from './format.ts'

const compress = promisify(zstdCompress)

/** Rows of one table, as the text of a JSON array. */
export interface Rows {
  readonly table: string
  readonly count: number
  readonly json: string
}

/** The bytes of an archive, a part at a time, signed by the active key. */
export async function* writeArchive(
  header: ArchiveHeader,
  pages: AsyncIterable<Rows>,
  ring: Pick<KeyRing, 'sign'>,
): AsyncGenerator<Uint8Array> {
  const whole = createHash('sha256')
  const records: Record<string, number> = {}
  let parts = 0
  const noted = (bytes: Buffer) => {
    whole.update(bytes)
    return bytes
  }
  yield noted(lineOf(header))
  for await (const { table, count, json } of pages) {
    const bytes = await compress(json)
    parts += 1
    records[table] = (records[table] ?? 0) + count
    yield noted(lineOf({ part: parts, table, rows: count, bytes: bytes.length, sha256: hashOf(bytes) }))
    yield noted(bytes)
  }
  const sha256 = whole.digest('hex')
  yield lineOf({ end: true, parts, records, sha256, signature: ring.sign(sha256, SIGNATURE_CONTEXT) })
}

/** A line of an archive: the hash of its content, then the content. */
export function lineOf(content: object): Buffer {
  const json = JSON.stringify(content)
  return Buffer.from(`${hashOf(json)} ${json}\n`)
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}
