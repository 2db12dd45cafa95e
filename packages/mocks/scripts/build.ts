/** Builds dist, which is all that is published: one file with the rules and the service in it, and its types. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CONTRACT_DESCRIPTIONS } from '@latchkey/tools/build/contract-descriptions'
import { flattenTypes } from '@latchkey/tools/build/flatten-types'
import { build } from 'vite'

const PACKAGE = join(import.meta.dirname, '..')
const DIST = join(PACKAGE, 'dist')
const ENTRY = join(PACKAGE, 'src/index.ts')

rmSync(DIST, { recursive: true, force: true })
mkdirSync(DIST)
await build({
  root: PACKAGE,
  configFile: false,
  logLevel: 'error',
  build: {
    outDir: DIST,
    target: 'es2023',
    minify: false,
    lib: { entry: ENTRY, formats: ['es'], fileName: 'index' },
    rollupOptions: { external: /^msw(\/|$)/ },
  },
})
writeFileSync(
  join(DIST, 'index.d.ts'),
  flattenTypes({
    entry: ENTRY,
    tsconfig: join(PACKAGE, 'tsconfig.json'),
    external: ['msw'],
    descriptions: CONTRACT_DESCRIPTIONS,
  }).text,
)
