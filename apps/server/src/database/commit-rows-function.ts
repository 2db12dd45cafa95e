import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Generated from the column tables by `scripts/generate-sql.ts`. */
export const COMMIT_ROWS_FILE = join(import.meta.dirname, '../../prisma/commit-rows.sql')

const source = readFileSync(COMMIT_ROWS_FILE, 'utf8')

/**
 * The SQL function that commits tokens and keys. Its name ends in a hash of its text, so processes of two releases on one
 * database each call their own, and a changed column needs no copy of the function in a migration.
 */
export const COMMIT_ROWS_FUNCTION = `latchkey_commit_rows_${createHash('sha256').update(source).digest('hex').slice(0, 12)}`

export const CREATE_COMMIT_ROWS = source.replace('latchkey_commit_rows', COMMIT_ROWS_FUNCTION)
