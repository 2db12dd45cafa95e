/** Writes the migration whose function is made from the tables of columns: `pnpm --filter @latchkey/server generate:sql`. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { COMMIT_ROWS_MIGRATION, commitRowsSql } from './commit-rows-sql.ts'

mkdirSync(dirname(COMMIT_ROWS_MIGRATION), { recursive: true })
writeFileSync(COMMIT_ROWS_MIGRATION, commitRowsSql())
