/** Files that the server reads at run time: from the repository, or from the folder of a built package. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `scripts/build.ts` copies everything below into this folder, next to the code. */
const BUILT = join(import.meta.dirname, 'files')
const isBuilt = existsSync(BUILT)
const hasPages = existsSync(join(BUILT, 'console'))
const SERVER = join(import.meta.dirname, isBuilt ? '..' : '../..')

export const PACKAGE_FILES = {
  /** Contains `<name>/migration.sql` per migration. */
  migrations: isBuilt ? join(BUILT, 'migrations') : join(SERVER, 'prisma/migrations'),
  /** Generated from the column tables by `scripts/generate-sql.ts`. */
  commitRows: isBuilt ? join(BUILT, 'commit-rows.sql') : join(SERVER, 'prisma/commit-rows.sql'),
  /** The pages below `/docs`. Like the console, only a package has a copy; a build in the repository serves what was built last. */
  docs: hasPages ? join(BUILT, 'docs') : join(SERVER, 'src/generated/docs'),
  console: hasPages ? join(BUILT, 'console') : join(SERVER, '../console/dist'),
} as const
