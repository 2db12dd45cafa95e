import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { publishedTypes } from '../scripts/published-types.ts'

let published: string
beforeAll(() => {
  published = publishedTypes()
}, 300_000)

/** The type names that a text exports. */
function namesIn(text: string): readonly string[] {
  return [...text.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name)
}

test('published types import nothing, and name neither zod nor ts-rest nor the contract', () => {
  expect(published).not.toMatch(/^import |import\(|zod|Zod|ts-rest|@latchkey/m)
})

test('published types are interfaces with the descriptions of the contract, and those of a field where it has a gate', () => {
  expect(published).toMatch(
    /^export interface Token \{\n {2}\/\*\* The public handle of the token: a UUID.*\n {2}AccessorID: string$/m,
  )
  expect(published).toMatch(
    /\/\*\* Links, by ID or Name\..* From service version 1\.5\.0\. \*\/\n {2}Roles\?: readonly RoleLink\[\] \| undefined/,
  )
  expect(published).toContain("  'tokens.list': TokenListEntry[]\n")
  expect(published).toContain("  'tokens.read': Token | ExpandedToken\n")
})

test('an update offers no ExpirationTTL, and a create no field that the service ignores (spec 4.5.6)', () => {
  const update = /^export interface TokenUpdate \{[\s\S]*?^\}/m.exec(published)?.[0]
  const create = /^export interface TokenCreate \{[\s\S]*?^\}/m.exec(published)?.[0]
  expect(update).toContain('ExpirationTime?')
  expect(update).not.toContain('ExpirationTTL')
  expect(create).toContain('ExpirationTTL?')
  expect(create).not.toContain('CreateIndex')
})

test.each(namesIn(readFileSync(new URL('types.ts', import.meta.url), 'utf8')))('%s is published', (name) => {
  expect(namesIn(published)).toContain(name)
})

test('every record is exported by the package', () => {
  const index = readFileSync(new URL('index.ts', import.meta.url), 'utf8')
  const records = namesIn(published).filter((name) => name !== 'AnswerTypes' && name !== 'BodyTypes')
  for (const name of records) expect(index).toMatch(new RegExp(`^  ${name},$`, 'm'))
})
