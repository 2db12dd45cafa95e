/** Makes the pages below `/docs` into `src/generated/docs`, if a source has changed since the last time. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { ServiceVersion } from '@latchkey/contract'
import { replaceFolder } from '@latchkey/tools/build/replace-folder'
import { digestOfSources } from '@latchkey/tools/build/source-digest'

const SERVER = join(import.meta.dirname, '../..')
const DOCS = join(SERVER, 'src/generated/docs')
const STAMP = 'sources.sha256'

/** The lock file stands for all libraries. */
const SOURCES = [
  'README.md',
  'docs/**/*.md',
  'packages/contract/src/**/*.{ts,json}',
  'apps/server/scripts/docs/**/*.*',
  'pnpm-lock.yaml',
]

export async function buildDocs(): Promise<void> {
  const digest = digestOfSources(SOURCES)
  const stamp = join(DOCS, STAMP)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  mkdirSync(dirname(DOCS), { recursive: true })
  // Two starts may build at once.
  await replaceFolder(DOCS, join(SERVER, 'node_modules'), async (next) => {
    cpSync(join(import.meta.dirname, 'assets'), join(next, 'pages'), { recursive: true })
    await writeGuides(join(next, 'pages'))
    await writeApi(join(next, 'api'))
    writeFileSync(join(next, STAMP), digest)
  })
}

async function writeGuides(folder: string): Promise<void> {
  const { GUIDES, renderGuide } = await import('./guides.ts')
  for (const [slug, file] of GUIDES) {
    const path = join(folder, `${slug}.html`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, renderGuide(slug, file))
  }
}

/** The document and the page of the API, for each edition and each version that differs from the one before it. */
async function writeApi(folder: string): Promise<void> {
  const { buildOpenApi } = await import('@latchkey/contract/openapi')
  const { renderPage } = await import('./page.ts')
  const { profileOf } = await import('@latchkey/contract')
  mkdirSync(folder)
  for (const edition of ['standard', 'extended'] as const) {
    let last = ''
    for (const version of await versions()) {
      const built = buildOpenApi({ profile: profileOf(version), headerPrefix: '{Prefix}', edition })
      const document = { ...built, info: { ...built.info, version: '{version}' } }
      const text = JSON.stringify(document)
      if (text === last) continue
      last = text
      const name = join(folder, `${version.text}-${edition}`)
      writeFileSync(`${name}.json.gz`, gzipSync(text, { level: 9 }))
      writeFileSync(`${name}.html.gz`, gzipSync(renderPage(document), { level: 9 }))
    }
  }
}

/** The oldest version and those at which a gate opens or closes, oldest first. */
async function versions(): Promise<readonly ServiceVersion[]> {
  const { compareVersions, GATES, parseServiceVersion, SERVICE_VERSION_OLDEST } = await import(
    '@latchkey/contract'
  )
  const edges = Object.values(GATES).flatMap((gate) => [
    ...('since' in gate ? [gate.since] : []),
    ...('until' in gate ? [gate.until] : []),
  ])
  return [...new Set([SERVICE_VERSION_OLDEST, ...edges])]
    .map((text) => parseServiceVersion(text))
    .sort(compareVersions)
}
