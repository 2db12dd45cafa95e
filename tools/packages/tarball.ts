/** The tarballs of the published packages. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { run } from './run.ts'

const ROOT = join(import.meta.dirname, '../..')

export const PACKAGES = ['contract', 'sdk', 'mocks'] as const

/** Describes the files of a tarball. */
interface Expected {
  /** Matches what may be packed: no source, no test. */
  readonly allowed: RegExp
  readonly needed: readonly string[]
}

const LIBRARY: Expected = {
  allowed: /^package\/(dist\/.+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/,
  needed: ['package/LICENSE', 'package/README.md', 'package/dist/index.d.ts'],
}

const SERVER: Expected = {
  allowed:
    /^package\/(dist\/[^/]+\.js|dist\/files\/.+\.(sql|css|js|svg|wasm)|dist\/files\/(console|docs)\/.+\.(html|json|woff2|gz|br)|package\.json|README\.md|LICENSE)$/,
  needed: [
    'package/LICENSE',
    'package/README.md',
    'package/dist/main.js',
    'package/dist/files/docs/pages/readme.html',
    'package/dist/files/console/index.html',
  ],
}

const CLI: Expected = {
  allowed: /^package\/(dist\/(parts\/)?[^/]+\.js|package\.json|README\.md|LICENSE)$/,
  needed: ['package/LICENSE', 'package/README.md', 'package/dist/main.js'],
}

/** Packs a library as for publishing, which builds it, and returns the path of the tarball. */
export function packPackage(name: (typeof PACKAGES)[number], directory: string): Promise<string> {
  return pack(`packages/${name}`, LIBRARY, directory)
}

/** The same for the server. */
export function packServer(directory: string): Promise<string> {
  return pack('apps/server', SERVER, directory)
}

/** The same for the command line. */
export function packCli(directory: string): Promise<string> {
  return pack('apps/cli', CLI, directory)
}

/** The pnpm that runs this check; npx would look for one, which takes more than a second. */
function pnpm(): readonly string[] {
  const { npm_execpath: running = '' } = process.env
  return basename(running).startsWith('pnpm') ? [running] : ['npx', '-y', 'pnpm@12']
}

async function pack(folder: string, { allowed, needed }: Expected, directory: string): Promise<string> {
  const name = basename(folder)
  const [program = '', ...first] = pnpm()
  await run(program, [...first, 'pack', '--pack-destination', directory], join(ROOT, folder))
  const file = readdirSync(directory).find((entry) => entry.startsWith(`latchkey-${name}-`))
  if (file === undefined) throw new Error(`${name} was not packed`)
  const files = (await run('tar', ['tzf', join(directory, file)], directory)).trim().split('\n')
  const surprise = files.find((path) => !allowed.test(path))
  if (surprise !== undefined) throw new Error(`${surprise} should not be packed`)
  const missing = needed.find((path) => !files.includes(path))
  if (missing !== undefined) throw new Error(`${missing} is not packed`)
  return join(directory, file)
}

/** The version of a library that the workspace uses. */
export function versionOf(name: string): string {
  const catalog = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')
  const line = catalog.split('\n').find((text) => text.trim().replaceAll('"', '').startsWith(`${name}: `))
  if (line === undefined) throw new Error(`${name} is not in the catalog`)
  return line.slice(line.lastIndexOf(': ') + 2).trim()
}
