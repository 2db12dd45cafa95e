/** Writes `prisma/commit-rows.sql`: `pnpm --filter @latchkey/server generate:sql`. */
import { writeFileSync } from 'node:fs'
import { PACKAGE_FILES } from '../src/config/package-files.ts'
import { commitRowsSql } from './commit-rows-sql.ts'

writeFileSync(PACKAGE_FILES.commitRows, commitRowsSql())
