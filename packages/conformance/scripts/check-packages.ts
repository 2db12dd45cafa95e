/**
 * `pnpm check:packages`: what would be published works for strangers. Packs contract, SDK and mocks, installs the
 * tarballs outside the workspace, and compiles and runs consumers against them. Exits with 1 at the first fault.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runVariant, type VariantServer } from '../test/run-variant.ts'
import { MANAGEMENT_TOKEN } from '../test/variants.ts'
import { bundlePage, openPage } from './packages/page.ts'
import { bin, expectOutput, failureOf, node, run } from './packages/run.ts'
import { PACKAGES, packPackage, versionOf } from './packages/tarball.ts'

/** Most bytes of the whole SDK, bundled, minified and compressed with gzip. */
const SDK_GZIP_BYTES_MAX = 20_000

const consumer = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
/** Node 22, the oldest that is promised, as npm installed it. */
const node22 = join(consumer, 'node_modules/node/bin/node')

try {
  const tarballs: string[] = []
  for (const name of PACKAGES) {
    tarballs.push(step(`${name}: build and pack`, () => packPackage(name, consumer)))
  }
  for (const tarball of tarballs) {
    step('publint: no fault, no warning', () =>
      node(bin('publint', 'src/cli.js'), [tarball, '--strict'], consumer),
    )
    step('are the types wrong: no, for ES modules', () =>
      node(
        bin('@arethetypeswrong/cli', 'dist/index.js'),
        [tarball, '--profile', 'esm-only', '--no-emoji'],
        consumer,
      ),
    )
  }
  step('install in an empty project', () => install(tarballs))
  for (const compiler of ['typescript', 'typescript-5']) checkTypes(compiler)
  step('Node 22, import', () => expectOutput('not_found', run(node22, ['node/esm.mjs'], consumer)))
  step('Node 22, require', () => expectOutput('not_found', run(node22, ['node/cjs.cjs'], consumer)))
  step('Node 22, deep import is refused', () => {
    const failure = failureOf(() => run(node22, ['node/deep.mjs'], consumer))
    if (!failure.includes('ERR_PACKAGE_PATH_NOT_EXPORTED'))
      throw new Error(`a file inside can be imported: ${failure}`)
  })
  step('Node 22, mocks and SDK', () =>
    expectOutput('caller_unknown', run(node22, ['out/mocks.js'], consumer)),
  )
  step('Node 22, plain contract', () =>
    expectOutput('GET /kv/web/port', run(node22, ['out/plain.js'], consumer)),
  )
  await checkServer()
  await checkPages()
} finally {
  rmSync(consumer, { recursive: true })
}

/** Says what is checked, then does it. */
function step<T>(title: string, action: () => T): T {
  console.log(title)
  return action()
}

function install(tarballs: readonly string[]): void {
  // The script of the package `node` fetches the program for this machine.
  const manifest = { name: 'consumer', private: true, type: 'module', allowScripts: { node: true } }
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest))
  cpSync(join(import.meta.dirname, 'packages/consumers'), consumer, { recursive: true })
  const libraries = ['@ts-rest/core', 'zod', 'msw', '@types/node'].map((name) => `${name}@${versionOf(name)}`)
  run('npm', ['install', '--no-audit', '--no-fund', ...tarballs, ...libraries, 'node@22'], consumer)
  for (const name of ['sdk', 'mocks']) {
    const installed = JSON.parse(
      readFileSync(join(consumer, `node_modules/@latchkey/${name}/package.json`), 'utf8'),
    )
    if (installed.dependencies !== undefined) throw new Error(`@latchkey/${name} has dependencies`)
  }
}

function checkTypes(compiler: string): void {
  const tsc = (project: string, ...more: string[]) =>
    node(bin(compiler, 'bin/tsc'), ['-p', project, ...more], consumer)
  for (const project of [
    'types/tsconfig.dom.json',
    'types/tsconfig.bundler.json',
    'types/tsconfig.node.json',
  ]) {
    step(`${compiler}: ${project}, skipLibCheck: false`, () => tsc(project))
  }
  step(`${compiler}: SDK, mocks and plain contract, skipLibCheck: false`, () => tsc('run/tsconfig.json'))
  step(`${compiler}: the client of ts-rest is typed`, () => tsc('run/tsconfig.ts-rest.json'))
  step(`${compiler}: no fault in the contract's own declarations`, () => {
    const failure = failureOf(() => tsc('run/tsconfig.ts-rest.json', '--skipLibCheck', 'false', '--noEmit'))
    const [ours] = failure.split('\n').filter((line) => /@latchkey|^run\//.test(line))
    if (ours !== undefined) throw new Error(ours)
  })
}

async function checkServer(): Promise<void> {
  console.log('Node 22, the client of ts-rest against a server')
  const server = await runVariant({ server: {} })
  try {
    const env = { LATCHKEY_ADDR: server.url, LATCHKEY_TOKEN: MANAGEMENT_TOKEN }
    expectOutput('200 true', run(node22, ['out/ts-rest.js'], consumer, env))
  } finally {
    await server.stop()
  }
}

async function checkPages(): Promise<void> {
  console.log('Vite and Chromium')
  const { gzipBytes } = await bundlePage(join(consumer, 'sdk-page'))
  console.log(`  whole SDK: ${gzipBytes} bytes minified and compressed (at most ${SDK_GZIP_BYTES_MAX})`)
  if (gzipBytes > SDK_GZIP_BYTES_MAX)
    throw new Error(`the SDK is ${gzipBytes} bytes, at most ${SDK_GZIP_BYTES_MAX}`)
  await bundlePage(join(consumer, 'mocks-page'))
  expectOutput('conflict', await openPage(join(consumer, 'sdk-page')))
  await checkAcrossOrigins()
  expectOutput('page', await openPage(join(consumer, 'mocks-page')))
}

/** The SDK on a page of another origin than the server's, with the origin listed and without. */
async function checkAcrossOrigins(): Promise<void> {
  for (const [isListed, title] of [
    [true, 'made, read, watched: 404'],
    [false, 'unavailable'],
  ] as const) {
    console.log(`Chromium, across origins, ${isListed ? 'listed' : 'not listed'}`)
    let server: VariantServer | undefined
    try {
      const seen = await openPage(join(consumer, 'sdk-page'), async (origin) => {
        server = await runVariant({ server: isListed ? { LATCHKEY_CORS_ORIGINS: origin } : {} })
        return String(new URLSearchParams({ address: server.url, token: MANAGEMENT_TOKEN }))
      })
      expectOutput(title, seen)
    } finally {
      await server?.stop()
    }
  }
}
