/// <reference types="node" />
/** The pages under docs/, and the source files, that are derived from the contract. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { GeneratedFile } from '@latchkey/tools/build/generated'
import { REQUIRED_METHODS } from '../src/paths/methods.ts'
import { renderEndpointsTable } from './docs/endpoints-table.ts'
import { renderErrorsPage, rowsByStatus } from './docs/errors-page.ts'
import { renderLimitsTable } from './docs/limits-table.ts'
import { replaceSection, table } from './docs/markdown.ts'
import { renderGates } from './gates.ts'
import { renderClientEndpoints, renderEndpoints } from './plain-endpoints.ts'

/** Every generated page, and every handwritten page with its generated sections updated. */
export function generatedPages(): readonly GeneratedFile[] {
  return [
    { path: sourceOf('generated/endpoints.ts'), text: renderEndpoints() },
    { path: sourceOf('generated/client-endpoints.ts'), text: renderClientEndpoints() },
    { path: sourceOf('generated/gates.ts'), text: renderGates(read(pathOf('version-gates.md'))) },
    { path: pathOf('errors.md'), text: renderErrorsPage() },
    { path: pathOf('api.md'), text: apiPage(read(pathOf('api.md'))) },
  ]
}

function apiPage(page: string): string {
  const sections = {
    endpoints: renderEndpointsTable(),
    statuses: table(['status', 'codes'], rowsByStatus('errors.md')),
    limits: renderLimitsTable(read(sourceOf('limits.ts'))),
    methods: table(['method', 'endpoints'], endpointsByMethod()),
  }
  return Object.entries(sections).reduce((text, [name, content]) => replaceSection(text, name, content), page)
}

/** The endpoints of this service that enforce one method. Spec 9.4. */
function endpointsByMethod(): readonly (readonly string[])[] {
  return ['GET', 'PUT'].map((method) => {
    const rows = REQUIRED_METHODS.filter((row) => row.method === method)
    const paths = rows.map(({ path }) => `\`${path.replace(/\/$/, '')}\``)
    return [method, paths.sort().join(', ')]
  })
}

function pathOf(page: string): string {
  return fileURLToPath(new URL(`../../../docs/${page}`, import.meta.url))
}

function sourceOf(file: string): string {
  return fileURLToPath(new URL(`../src/${file}`, import.meta.url))
}

function read(path: string): string {
  return readFileSync(path, 'utf8')
}
