import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ROUTES } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { documentedFiles, endpointsIn, withEndpointDocs } from '../scripts/endpoint-docs.ts'

const HOW_TO_FIX = 'run: pnpm --filter @latchkey/sdk generate'

test.each(documentedFiles())('docstrings say right, spec section and errors of the contract: %s', (file) => {
  const source = readFileSync(file, 'utf8')
  expect(source, HOW_TO_FIX).toBe(withEndpointDocs(source))
})

test('a docstring that names an unknown endpoint is refused', () => {
  expect(() => withEndpointDocs('   * Endpoint `tokens.creat`')).toThrow(/unknown endpoint tokens.creat/)
})

test.each(Object.keys(ROUTES))('a method of the SDK calls %s, and its docstring says so', (name) => {
  const sources = documentedFiles().map((file) => readFileSync(file, 'utf8'))
  const all = [...sources, readFileSync(new URL('resources/create-token.ts', import.meta.url), 'utf8')].join(
    '\n',
  )
  expect(all).toContain(`endpoint: '${name}'`)
  expect(sources.flatMap(endpointsIn)).toContain(name)
})

test('what the SDK carries of the contract imports no library, directly or not', () => {
  const seen = new Set<string>()
  const visit = (file: string): void => {
    if (seen.has(file)) return
    seen.add(file)
    const source = readFileSync(fileURLToPath(file), 'utf8')
    for (const [, isType, specifier = ''] of source.matchAll(
      /^(?:import|export)( type)? [^'"]*? from '([^']+)'/gm,
    )) {
      if (isType !== undefined) continue
      expect(specifier, file).toMatch(/^\.\.?\//)
      visit(new URL(specifier, file).href)
    }
  }
  visit(import.meta.resolve('@latchkey/contract/plain'))
  expect(seen.size).toBeGreaterThan(4)
})
