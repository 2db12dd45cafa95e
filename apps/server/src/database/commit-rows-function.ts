import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { PACKAGE_FILES } from '../config/package-files.ts'

const source = readFileSync(PACKAGE_FILES.commitRows, 'utf8')

/** The name of the SQL function ends in a hash of its text: processes of two releases each call their own. */
export const COMMIT_ROWS_FUNCTION = `latchkey_commit_rows_${createHash('sha256').update(source).digest('hex').slice(0, 12)}`

export const CREATE_COMMIT_ROWS = source.replace('latchkey_commit_rows', COMMIT_ROWS_FUNCTION)
