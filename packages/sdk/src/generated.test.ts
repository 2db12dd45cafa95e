import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { ENDPOINTS } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { endpointsIn, withEndpointDocs } from '../scripts/endpoint-docs.ts'
import { ANSWERS_FILE, documentedFiles, TYPES_FILE } from '../scripts/generated-files.ts'
import { renderAnswers } from '../scripts/render-answers.ts'
import { renderTypes } from '../scripts/render-types.ts'

const HOW_TO_FIX = 'run: pnpm --filter @latchkey/sdk generate'

test('types and answers are those of the contract', () => {
  expect(readFileSync(TYPES_FILE, 'utf8'), HOW_TO_FIX).toBe(renderTypes())
  expect(readFileSync(ANSWERS_FILE, 'utf8'), HOW_TO_FIX).toBe(renderAnswers())
})

test.each(documentedFiles())('docstrings say right, spec section and errors of the contract: %s', (file) => {
  const source = readFileSync(file, 'utf8')
  expect(source, HOW_TO_FIX).toBe(withEndpointDocs(source))
})

test('a docstring that names an unknown endpoint is refused', () => {
  expect(() => withEndpointDocs('   * Endpoint `tokens.creat`')).toThrow(/unknown endpoint tokens.creat/)
})

test('every endpoint of the contract has a method', () => {
  const documented = documentedFiles().flatMap((file) => endpointsIn(readFileSync(file, 'utf8')))
  expect([...new Set(documented)].sort()).toEqual(Object.keys(ENDPOINTS).sort())
})

test('every generated type is exported', () => {
  const names = [...readFileSync(TYPES_FILE, 'utf8').matchAll(/^export (?:interface|type) (\w+)/gm)]
  const index = readFileSync(new URL('index.ts', import.meta.url), 'utf8')
  expect(names.length).toBeGreaterThan(20)
  for (const [, name = ''] of names) expect(index).toMatch(new RegExp(`^  ${name},$`, 'm'))
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
      expect(specifier, file).toMatch(/^\.\//)
      visit(new URL(specifier, file).href)
    }
  }
  visit(import.meta.resolve('@latchkey/contract/plain'))
  expect(seen.size).toBeGreaterThan(4)
})
