/**
 * Generates the Prisma client and the pages below `/docs` into `src/generated` if their sources have changed since the
 * last run.
 *
 * `prisma generate` runs on WebAssembly, but the command first looks for its schema engine binary and would download
 * it. Pointing the variable at any existing file keeps generation offline (tried with 7.10.0).
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { buildDocs } from './docs/build.ts'

const packageDir = dirname(import.meta.dirname)
const schema = join(packageDir, 'prisma', 'schema.prisma')
const generated = join(packageDir, 'src', 'generated', 'prisma')
const stamp = join(generated, 'schema.sha256')
const prismaPackage = createRequire(import.meta.url).resolve('prisma/package.json')

/** The generated code depends on the schema, the version of Prisma, and this script. */
const source = createHash('sha256')
  .update(readFileSync(schema))
  .update(readFileSync(prismaPackage))
  .update(readFileSync(import.meta.filename))
  .digest('hex')

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== source) {
  const prismaCli = join(dirname(prismaPackage), 'build', 'index.js')
  execFileSync(process.execPath, [prismaCli, 'generate', '--schema', schema], {
    cwd: packageDir,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
  })
  writeFileSync(stamp, source)
}

await buildDocs()
