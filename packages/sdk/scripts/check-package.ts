/**
 * Checks what would be published: packs it, holds the tarball to publint and are-the-types-wrong, and builds consumers
 * against it. Run with `pnpm --filter @latchkey/sdk check:package`.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bundleSize, runInWorkerLikeContext } from './browser-bundle.ts'

/** Most bytes of the whole SDK, bundled, minified and compressed with gzip. */
const GZIP_BYTES_MAX = 20_000

const PACKAGE = join(import.meta.dirname, '..')
const directory = mkdtempSync(join(tmpdir(), 'latchkey-sdk-package-'))

try {
  await step('build', () => run(process.execPath, [join(PACKAGE, 'scripts/build.ts')], PACKAGE))
  const tarball = await step('pack', pack)
  await step('publint: no fault, no warning', () => run(bin('publint', 'src/cli.js'), [tarball, '--strict']))
  await step('are the types wrong: no, for ES modules', () =>
    run(bin('@arethetypeswrong/cli', 'dist/index.js'), [tarball, '--profile', 'esm-only', '--no-emoji']),
  )
  await step('install', () => install(tarball))
  await step('Node, import', () => expectOutput('node/esm.mjs', 'not_found'))
  await step('Node, require', () => expectOutput('node/cjs.cjs', 'not_found'))
  await step('Node, deep import is refused', expectNoDeepImport)
  for (const compiler of ['typescript', 'typescript-5']) {
    for (const project of ['dom', 'bundler', 'node']) {
      await step(`${compiler} (${project}), skipLibCheck: false`, () =>
        run(bin(compiler, 'bin/tsc'), ['-p', join(directory, `types/tsconfig.${project}.json`)]),
      )
    }
  }
  await step('Vite', async () => {
    const { code, gzipBytes } = await bundleSize(join(directory, 'browser'))
    await runInWorkerLikeContext(code)
    console.log(`  whole SDK: ${code.length} bytes minified, ${gzipBytes} gzip (at most ${GZIP_BYTES_MAX})`)
    if (gzipBytes > GZIP_BYTES_MAX)
      throw new Error(`the bundle is ${gzipBytes} bytes, at most ${GZIP_BYTES_MAX}`)
  })
} finally {
  rmSync(directory, { recursive: true })
}

/** Says what is checked, then does it; a failure ends the run with the output of the tool. */
async function step<T>(title: string, action: () => T | Promise<T>): Promise<T> {
  console.log(title)
  return await action()
}

/** Packs as for publishing, so with `publishConfig` applied. */
function pack(): string {
  // Set where a script runs under pnpm.
  run(process.env.npm_execpath ?? 'pnpm', ['pack', '--pack-destination', directory], PACKAGE)
  const [name = ''] = readdirSync(directory).filter((file) => file.endsWith('.tgz'))
  const files = run('tar', ['tzf', join(directory, name)])
    .trim()
    .split('\n')
  const surprise = files.find(
    (file) => !/^package\/(dist\/.+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/.test(file),
  )
  if (surprise !== undefined) throw new Error(`${surprise} should not be packed`)
  return join(directory, name)
}

/** Lays the packed files where a package manager would: the package has no dependency to fetch. */
function install(tarball: string): void {
  cpSync(join(PACKAGE, 'test/consumers'), directory, { recursive: true })
  const target = join(directory, 'node_modules/@latchkey/sdk')
  mkdirSync(target, { recursive: true })
  run('tar', ['xzf', tarball, '--strip-components=1', '-C', target])
  const { dependencies = {} } = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'))
  if (Object.keys(dependencies).length > 0) throw new Error('the package must have no dependency')
  mkdirSync(join(directory, 'node_modules/@types'))
  symlinkSync(join(PACKAGE, 'node_modules/@types/node'), join(directory, 'node_modules/@types/node'))
}

function expectOutput(file: string, expected: string): void {
  const output = run(process.execPath, [join(directory, file)]).trim()
  if (output !== expected) throw new Error(`${file} said ${output}, not ${expected}`)
}

function expectNoDeepImport(): void {
  try {
    run(process.execPath, [join(directory, 'node/deep.mjs')])
  } catch (error) {
    if (String(error).includes('ERR_PACKAGE_PATH_NOT_EXPORTED')) return
    throw error
  }
  throw new Error('a file inside the package can be imported')
}

/** The path of a tool inside its package. */
function bin(name: string, path: string): string {
  return join(PACKAGE, 'node_modules', name, path)
}

/** Runs a program, or a script of Node, and returns what it printed. */
function run(program: string, args: readonly string[], cwd = directory): string {
  const isScript = program.startsWith(join(PACKAGE, 'node_modules'))
  const [file, rest] = isScript ? [process.execPath, [program, ...args]] : [program, args]
  try {
    return execFileSync(file, rest, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    throw new Error(`${program} ${args.join(' ')}: ${String(error)}\n${stdout}${stderr}`)
  }
}
