/** Which servers can run on a schema that a newer server has migrated. Decisions: schema upgrades. */
import type pg from 'pg'

/** The first and the last migration of the versions before 1.0.0, which later versions do not know. */
const FIRST_BEFORE_RELEASE = '20261121000000_store'
const LAST_BEFORE_RELEASE = '20261204000000_leases_after_failures'

/** Whether migrations are those of the last version before 1.0.0: an archive of it fits the first schema of 1.0.0. */
export function isOfLastBeforeRelease(migrations: readonly string[]): boolean {
  return migrations.at(-1) === LAST_BEFORE_RELEASE
}

/** The mark of a schema: only servers that know this migration can run on it. */
interface CompatibilityMark {
  readonly migration: string
  /** The first release of Latchkey that knows it. */
  readonly release: string
}

const BEFORE_RELEASE = {
  problem: 'A version before 1.0.0 made this database, and later versions cannot run on its schema.',
  todo: 'Carry the data over: back it up with that version (latchkey-server backup FILE), start this version with the same encryption keys on an empty database, and restore it (latchkey-server restore FILE).',
} as const

interface NewerSchema {
  /** Migrations that this server does not know; at least one. */
  readonly unknown: readonly string[]
  /** Why this server cannot run on the schema, and what to do; undefined if it can. */
  readonly refusal: { readonly problem: string; readonly todo: string } | undefined
}

/**
 * Judges a schema by its mark.
 *
 * @param applied migrations of the database. @param known migrations of this server, in order.
 * @returns undefined if this server knows the whole schema.
 */
export async function judgeNewerSchema(
  client: pg.Client,
  applied: readonly string[],
  known: readonly string[],
): Promise<NewerSchema | undefined> {
  const unknown = applied.filter((name) => !known.includes(name))
  const [first] = unknown
  if (first === undefined) return undefined
  if (first === FIRST_BEFORE_RELEASE) return { unknown, refusal: BEFORE_RELEASE }
  const newer = `The database has the migration ${first}, which this server does not know: a newer server has used it.`
  const mark = await readMark(client)
  if (mark === undefined || !known.includes(mark.migration)) {
    const oldest = mark === undefined ? 'that version' : `Latchkey ${mark.release}`
    const todo = `Start ${oldest} or later; going back needs an earlier backup.`
    return { unknown, refusal: { problem: newer, todo } }
  }
  const missing = known.find((name) => !applied.includes(name))
  if (missing === undefined) return { unknown, refusal: undefined }
  const problem = `${newer} It lacks ${missing}, so neither version follows the other.`
  return { unknown, refusal: { problem, todo: 'Start a version that has both.' } }
}

async function readMark(client: pg.Client): Promise<CompatibilityMark | undefined> {
  const { rows: tables } = await client.query<{ name: string | null }>(
    `SELECT to_regclass('schema_compatibility')::text AS name`,
  )
  if (!tables[0]?.name) return undefined
  const { rows } = await client.query<CompatibilityMark>(
    'SELECT migration, release FROM schema_compatibility',
  )
  return rows[0]
}
