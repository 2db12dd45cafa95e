/**
 * Builds the console into `dist`, with each file also compressed. With `--if-stale` only if a source has changed since
 * the last build, which takes some milliseconds to find out.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { replaceFolder } from '@latchkey/tools/build/replace-folder'
import { digestOfSources } from '@latchkey/tools/build/source-digest'

const CONSOLE = join(import.meta.dirname, '..')
const DIST = join(CONSOLE, 'dist')
const STAMP = join(DIST, 'sources.sha256')

/** What the bundle is made of; the lock file stands for all libraries. */
const SOURCES = [
  'apps/console/{src,public}/**/*.*',
  'apps/console/{index.html,package.json,vite.config.ts}',
  'apps/console/scripts/build.ts',
  'packages/{sdk,contract,acl,catalog}/src/**/*.ts',
  'pnpm-lock.yaml',
]

const COMPRESSIBLE = /\.(?:html|js|css|svg|json)$/

if (!process.argv.includes('--if-stale') || readStamp() !== digestOfSources(SOURCES)) await buildConsole()

function readStamp(): string | undefined {
  try {
    return readFileSync(STAMP, 'utf8')
  } catch {
    return undefined
  }
}

async function buildConsole(): Promise<void> {
  const startedAt = performance.now()
  const digest = digestOfSources(SOURCES)
  const { build } = await import('vite')
  // Two starts may build at once.
  await replaceFolder(DIST, join(CONSOLE, 'node_modules'), async (outDir) => {
    await build({ root: CONSOLE, logLevel: 'warn', build: { outDir, emptyOutDir: true } })
    for (const file of readdirSync(outDir, { recursive: true, encoding: 'utf8' })) {
      if (COMPRESSIBLE.test(file) && file !== 'index.html') compress(join(outDir, file))
    }
    writeFileSync(join(outDir, 'sources.sha256'), digest)
  })
  console.error(`built the console in ${Math.round(performance.now() - startedAt)} ms`)
}

function compress(path: string): void {
  const bytes = readFileSync(path)
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }))
  const params = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY }
  writeFileSync(`${path}.br`, brotliCompressSync(bytes, { params }))
}
