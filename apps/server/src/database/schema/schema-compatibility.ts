/** Which servers can run on a schema that a newer server has migrated. Decisions: schema upgrades. */
import type pg from 'pg'

/** The mark of a schema: only servers that know this migration can run on it. */
interface CompatibilityMark {
  readonly migration: string
  /** The first release of Latchkey that knows it. */
  readonly release: string
}

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
