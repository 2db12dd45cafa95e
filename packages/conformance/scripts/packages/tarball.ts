/** The tarballs of the published packages. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from './run.ts'

const ROOT = join(import.meta.dirname, '../../../..')

export const PACKAGES = ['contract', 'sdk', 'mocks'] as const

/** The files that may be packed: no source, no test. */
const PACKED = /^package\/(dist\/.+\.(js|d\.ts)|package\.json|README\.md|LICENSE)$/

/** Packs a package as for publishing, which builds it, and returns the path of the tarball. */
export async function packPackage(name: (typeof PACKAGES)[number], directory: string): Promise<string> {
  await run('npx', ['-y', 'pnpm@12', 'pack', '--pack-destination', directory], join(ROOT, 'packages', name))
  const file = readdirSync(directory).find((entry) => entry.startsWith(`latchkey-${name}-`))
  if (file === undefined) throw new Error(`${name} was not packed`)
  const files = (await run('tar', ['tzf', join(directory, file)], directory)).trim().split('\n')
  const surprise = files.find((path) => !PACKED.test(path))
  if (surprise !== undefined) throw new Error(`${surprise} should not be packed`)
  for (const needed of ['package/LICENSE', 'package/README.md', 'package/dist/index.d.ts']) {
    if (!files.includes(needed)) throw new Error(`${needed} is not packed`)
  }
  return join(directory, file)
}

/** The version of a library that the workspace uses. */
export function versionOf(name: string): string {
  const catalog = readFileSync(join(ROOT, 'pnpm-workspace.yaml'), 'utf8')
  const line = catalog.split('\n').find((text) => text.trim().replaceAll('"', '').startsWith(`${name}: `))
  if (line === undefined) throw new Error(`${name} is not in the catalog`)
  return line.slice(line.lastIndexOf(': ') + 2).trim()
}
