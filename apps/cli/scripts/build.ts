/** Builds dist, which is all that is published: the program in one file per part that loads when it is needed. */
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'vite'

const PACKAGE = join(import.meta.dirname, '..')
const DIST = join(PACKAGE, 'dist')

rmSync(DIST, { recursive: true, force: true })
await build({
  root: PACKAGE,
  configFile: false,
  logLevel: 'error',
  // Every library is bundled, so that the package has no dependencies.
  ssr: { noExternal: true },
  build: {
    ssr: join(PACKAGE, 'src/main.ts'),
    outDir: DIST,
    target: 'node22',
    minify: false,
    rollupOptions: {
      output: { format: 'es', entryFileNames: 'main.js', chunkFileNames: 'parts/[name]-[hash].js' },
    },
  },
})
chmodSync(join(DIST, 'main.js'), 0o755)
