import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { withEndpointDocs } from '../scripts/endpoint-docs.ts'

test('a docstring that names an unknown endpoint is refused', () => {
  expect(() => withEndpointDocs('   * Endpoint `tokens.creat`')).toThrow(/unknown endpoint tokens.creat/)
})

test('the bundled part of the contract imports no library, directly or indirectly', () => {
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
