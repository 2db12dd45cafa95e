/** Writes `prisma/commit-rows.sql`: `pnpm --filter @latchkey/server generate:sql`. */
import { writeFileSync } from 'node:fs'
import { COMMIT_ROWS_FILE } from '../src/database/commit-rows-function.ts'
import { commitRowsSql } from './commit-rows-sql.ts'

writeFileSync(COMMIT_ROWS_FILE, commitRowsSql())
