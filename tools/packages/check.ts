/**
 * `pnpm check:packages`: checks the published packages from outside. Packs contract, SDK, mocks, command line and server, installs the tarballs
 * outside the workspace, compiles and runs consumers, and starts the server. Exits with 1 at the first failure.
 */
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runVariant } from '@latchkey/conformance/test/run-variant'
import { MANAGEMENT_TOKEN } from '@latchkey/conformance/test/variants'
import { checkCli, installCli } from './installed-cli.ts'
import { checkServerPackage } from './installed-server.ts'
import { bundlePage, openPages, servePage } from './page.ts'
import { bin, expectOutput, failureOf, node, run, step } from './run.ts'
import { PACKAGES, packPackage, versionOf } from './tarball.ts'

/** Maximum size of the whole SDK, bundled, minified and compressed with gzip. */
const SDK_GZIP_BYTES_MAX = 20_000

const NPM_OPTIONS = ['--no-audit', '--no-fund', '--prefer-offline']

/** The only peer packages that a published package may have. */
const PEERS: Readonly<Record<(typeof PACKAGES)[number], readonly string[]>> = {
  contract: ['@ts-rest/core', 'zod'],
  sdk: [],
  mocks: ['msw'],
}

/** The oldest MSW that the mocks take. */
const MSW_MIN = 'msw@2.11.0'

const COMPILERS = ['typescript', 'typescript-5']

const consumer = mkdtempSync(join(tmpdir(), 'latchkey-packages-'))
/** Node 22, the oldest supported version, as npm installed it. */
const node22 = join(consumer, 'node_modules/node/bin/node')

// The database of a server that root starts runs as another user.
chmodSync(consumer, 0o755)

try {
  await Promise.all([checkLibraries(), checkServerPackage(join(consumer, 'a server, ü and %20'))])
} finally {
  rmSync(consumer, { recursive: true })
}

/** The libraries, and the command line, with a server of the workspace. */
async function checkLibraries(): Promise<void> {
  const tarballs = await Promise.all(
    PACKAGES.map((name) => step(`${name}: build and pack`, () => packPackage(name, consumer))),
  )
  await Promise.all([
    ...tarballs.map(checkTarball),
    step('install in an empty project', () => install(tarballs)),
  ])
  await step(`${MSW_MIN}: install in an empty project`, () =>
    run('npm', ['install', ...NPM_OPTIONS, ...tarballs.slice(1), MSW_MIN], join(consumer, 'msw-2')),
  )
  await Promise.all([...COMPILERS.map(checkTypes), checkNode(), bundlePages()])
  // Runs the output of the compilers.
  await Promise.all([checkOutput(), checkServer()])
}

async function checkTarball(tarball: string): Promise<void> {
  await step('publint: no fault, no warning', () =>
    node(bin('publint', 'src/cli.js'), [tarball, '--strict'], consumer),
  )
  await step('are the types wrong: no, for ES modules', () =>
    node(
      bin('@arethetypeswrong/cli', 'dist/index.js'),
      [tarball, '--profile', 'esm-only', '--no-emoji'],
      consumer,
    ),
  )
}

async function install(tarballs: readonly string[]): Promise<void> {
  // The install script of the package `node` downloads the binary for this machine.
  const manifest = { name: 'consumer', private: true, type: 'module', allowScripts: { node: true } }
  writeFileSync(join(consumer, 'package.json'), JSON.stringify(manifest))
  cpSync(join(import.meta.dirname, 'consumers'), consumer, { recursive: true })
  const libraries = ['@ts-rest/core', 'zod', 'msw', '@types/node'].map((name) => `${name}@${versionOf(name)}`)
  await run('npm', ['install', ...NPM_OPTIONS, ...tarballs, ...libraries, 'node@22'], consumer)
  for (const name of PACKAGES) {
    const { dependencies, peerDependencies = {} } = JSON.parse(
      readFileSync(join(consumer, `node_modules/@latchkey/${name}/package.json`), 'utf8'),
    )
    if (dependencies !== undefined) throw new Error(`@latchkey/${name} has dependencies`)
    if (Object.keys(peerDependencies).sort().join() !== PEERS[name].join())
      throw new Error(`@latchkey/${name} has the peers ${Object.keys(peerDependencies)}`)
  }
}

async function checkTypes(compiler: string): Promise<void> {
  // More checkers would infer the same types, each for itself.
  const options = compiler === 'typescript' ? ['--checkers', '1'] : []
  const tsc = (project: string) => node(bin(compiler, 'bin/tsc'), ['-p', project, ...options], consumer)
  for (const project of ['types/tsconfig.dom.json', 'types/tsconfig.bundler.json', 'run/tsconfig.json']) {
    await step(`${compiler}: ${project}, skipLibCheck: false`, () => tsc(project))
  }
  // The declarations of ts-rest do not compile with zod 4; those of the contract and of its consumer do.
  await step(`${compiler}: the client of ts-rest is typed, skipLibCheck: false`, async () => {
    const failure = await failureOf(() => tsc('run/tsconfig.ts-rest.json'))
    const [ours] = failure.split('\n').filter((line) => /@latchkey|^run\//.test(line))
    if (ours !== undefined) throw new Error(ours)
    if (!existsSync(join(consumer, 'out/run/ts-rest.js'))) throw new Error(failure)
  })
}

async function checkNode(): Promise<void> {
  await step('Node 22, import', async () =>
    expectOutput('not_found', await run(node22, ['node/esm.mjs'], consumer)),
  )
  await step('Node 22, require', async () =>
    expectOutput('not_found', await run(node22, ['node/cjs.cjs'], consumer)),
  )
  await step('Node 22, deep import is refused', async () => {
    const failure = await failureOf(() => run(node22, ['node/deep.mjs'], consumer))
    if (!failure.includes('ERR_PACKAGE_PATH_NOT_EXPORTED'))
      throw new Error(`a file inside can be imported: ${failure}`)
  })
}

async function checkOutput(): Promise<void> {
  await step('Node 22, mocks and SDK', async () =>
    expectOutput('caller_unknown', await run(node22, ['out/run/mocks.js'], consumer)),
  )
  await step(`Node 22, mocks and SDK in ${MSW_MIN}`, async () =>
    expectOutput('/web//port', await run(node22, ['msw-2/main.mjs'], consumer)),
  )
  await step('Node 22, plain contract', async () =>
    expectOutput('GET /kv/web/port', await run(node22, ['out/run/plain.js'], consumer)),
  )
}

/** The SDK and the mocks on web pages, the SDK also across origins, and the ts-rest client, all with one server. */
async function checkServer(): Promise<void> {
  const pages = await Promise.all(
    ['sdk-page', 'sdk-page', 'mocks-page'].map((name) => servePage(join(consumer, name))),
  )
  const [listed = '', stranger = '', mocks = ''] = pages.map(({ origin }) => origin)
  const server = await runVariant({ server: { LATCHKEY_CORS_ORIGINS: listed } })
  const query = new URLSearchParams({ address: server.url, token: MANAGEMENT_TOKEN })
  const expected = new Map([
    [listed, 'conflict'],
    [`${listed}/?${query}`, 'made, read, watched: 404'],
    [`${stranger}/?${query}`, 'unavailable'],
    [mocks, 'page'],
  ])
  try {
    const cli = await installCli(join(consumer, 'cli'), node22)
    await checkCli(cli, { LATCHKEY_ADDR: server.url, LATCHKEY_TOKEN: MANAGEMENT_TOKEN })
    await step('Node 22, the client of ts-rest against a server', async () => {
      const env = { LATCHKEY_ADDR: server.url, LATCHKEY_TOKEN: MANAGEMENT_TOKEN }
      expectOutput('200 true', await run(node22, ['out/run/ts-rest.js'], consumer, env))
    })
    await step('Chromium: mocks, SDK, SDK from a listed origin and from another', async () =>
      expectOutput([...expected.values()].join(), (await openPages([...expected.keys()])).join()),
    )
  } finally {
    await Promise.all([server.stop(), ...pages.map((page) => page.close())])
  }
}

async function bundlePages(): Promise<void> {
  const [sdk] = await step('Vite', () =>
    Promise.all(['sdk-page', 'mocks-page'].map((name) => bundlePage(join(consumer, name)))),
  )
  const bytes = sdk?.gzipBytes ?? 0
  console.log(`  whole SDK: ${bytes} bytes minified and compressed (at most ${SDK_GZIP_BYTES_MAX})`)
  if (bytes > SDK_GZIP_BYTES_MAX) throw new Error(`the SDK is ${bytes} bytes, at most ${SDK_GZIP_BYTES_MAX}`)
}
