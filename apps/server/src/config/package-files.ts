/**
 * Files that the server reads at run time, apart from its code: from the repository, or from the folder of a built
 * package.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** `scripts/build.ts` copies everything below into this folder, next to the code. */
const BUILT = join(import.meta.dirname, 'files')
const isBuilt = existsSync(BUILT)
const SERVER = join(import.meta.dirname, '../..')
const REPOSITORY = join(SERVER, '../..')

/** Absolute paths. */
export const PACKAGE_FILES = {
  /** Whether these are the files of a built package, and the repository is absent. */
  isBuilt,
  /** Contains `<name>/migration.sql` per migration. */
  migrations: isBuilt ? join(BUILT, 'migrations') : join(SERVER, 'prisma/migrations'),
  /** Generated from the column tables by `scripts/generate-sql.ts`. */
  commitRows: isBuilt ? join(BUILT, 'commit-rows.sql') : join(SERVER, 'prisma/commit-rows.sql'),
  /** The program that renders the page of the API. */
  renderApi: isBuilt
    ? join(import.meta.dirname, 'render-api.js')
    : join(SERVER, 'src/http/docs/render-api.ts'),
  /** Style, script and icon of the pages below `/docs`. */
  docsAssets: isBuilt ? join(BUILT, 'assets') : join(SERVER, 'src/http/docs/assets'),
  /** The guides: `README.md`, and the pages in `docs`. */
  guides: isBuilt ? join(BUILT, 'guides') : REPOSITORY,
  /** The built console. Only a package has a copy: a build in the repository serves what `apps/console` built last. */
  console: existsSync(join(BUILT, 'console'))
    ? join(BUILT, 'console')
    : isBuilt
      ? join(import.meta.dirname, '../../console/dist')
      : join(REPOSITORY, 'apps/console/dist'),
} as const
