import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { PACKAGE_FILES } from '../config/package-files.ts'

const source = readFileSync(PACKAGE_FILES.commitRows, 'utf8')

/**
 * The SQL function that commits tokens and keys. Its name ends in a hash of its text, so processes of two releases that
 * share a database each call their own version, and a changed column needs no copy of the function in a migration.
 */
export const COMMIT_ROWS_FUNCTION = `latchkey_commit_rows_${createHash('sha256').update(source).digest('hex').slice(0, 12)}`

export const CREATE_COMMIT_ROWS = source.replace('latchkey_commit_rows', COMMIT_ROWS_FUNCTION)
