/**
 * Generates the Prisma client into `src/generated`.
 *
 * `prisma generate` runs on WebAssembly, yet the command first looks for its schema engine binary and would
 * download it. Pointing the variable at any existing file keeps generation offline (tried with 7.10.0).
 */
import { execFileSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const packageDir = dirname(import.meta.dirname)
const prismaCli = createRequire(import.meta.url).resolve('prisma/build/index.js')

execFileSync(
  process.execPath,
  [prismaCli, 'generate', '--schema', join(packageDir, 'prisma', 'schema.prisma')],
  {
    cwd: packageDir,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  },
)
