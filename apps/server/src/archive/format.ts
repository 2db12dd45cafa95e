/**
 * The format of an archive. Lines of JSON, each after its own SHA-256, describe what follows:
 *
 *     <hash> {"latchkey":"snapshot","format":1, …}                      the header
 *     <hash> {"part":1,"table":"token","rows":250,"bytes":…,"sha256":…}  and the bytes of the part: Zstandard of a JSON array of rows
 *     …
 *     <hash> {"end":true,"parts":…,"records":{…},"sha256":…,"signature":…}  the hash of everything before this line, and its HMAC
 *
 * Nothing follows the last line, so truncation is detected. Anybody can compute the hashes; only a server with the key can
 * compute the HMAC. Archives that were made before have none. Decisions: backup.
 */
import { createHash } from 'node:crypto'
import * as z from 'zod'

/** The format version that this release writes, and the newest that it reads. */
export const FORMAT = 1

/** A longer line is damaged. */
export const LINE_BYTES_MAX = 1_048_576
/** A longer part, compressed or not, is damaged. A part has about a megabyte, or one row of a few megabytes. */
export const PART_BYTES_MAX = 16_777_216
/** The highest index of an archive and its rows: a restored store continues above it, in safe integers. */
export const INDEX_MAX = 2 ** 52
/** The context of the HMAC, which signs the hash of everything before the last line. */
export const SIGNATURE_CONTEXT = 'latchkey/archive'

const count = z.number().int().nonnegative()
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)

export const formatSchema = z.looseObject({ latchkey: z.literal('snapshot'), format: z.number().int() })

export const headerSchema = formatSchema.extend({
  product: z.string(),
  serviceVersion: z.string(),
  datacenter: z.string(),
  index: count.max(INDEX_MAX),
  createdAt: z.string(),
  /** The migrations of the schema, in order. */
  migrations: z.array(z.string()),
  /** The keys that seal secrets, each with a sample (base64) that only this key opens. */
  keys: z.array(z.object({ id: z.string(), sample: z.string() })),
  tables: z.record(z.string(), z.array(z.string())),
})
export type ArchiveHeader = z.infer<typeof headerSchema>

export const partSchema = z.object({ part: count, table: z.string(), rows: count, bytes: count, sha256 })
export const endSchema = z.object({
  end: z.literal(true),
  parts: count,
  records: z.record(z.string(), count),
  sha256,
  signature: z.object({ keyId: z.string(), hmac: z.string() }).optional(),
})
export type ArchiveEnd = z.infer<typeof endSchema>

export interface Rows {
  readonly table: string
  readonly count: number
  readonly json: string
}

export function hashOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

/** A line of an archive: the hash of its content, then the content. */
export function lineOf(content: object): Buffer {
  const json = JSON.stringify(content)
  return Buffer.from(`${hashOf(json)} ${json}\n`)
}

/** The tables of an archive, in the order of their parts. A test says why the others are left out. */

export const ARCHIVED_TABLES = [
  'namespace',
  'policy',
  'role',
  'auth_method',
  'binding_rule',
  'token',
  'token_use',
  'kv',
  'intention',
  'intention_destination',
  'catalog_node',
  'catalog_service',
  'catalog_check',
  'catalog_coordinate',
  'catalog_service_index',
  'session',
  'system',
] as const
