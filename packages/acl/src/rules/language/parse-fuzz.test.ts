import { AclError } from '@latchkey/contract'
import { growthOf, LINEAR_GROWTH_MAX } from '@latchkey/testkit/growth'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { printRules } from '@latchkey/testkit/rules/print-rules'
import { randomText } from '@latchkey/testkit/rules/random-texts'
import { expect, test } from 'vitest'
import { lintRules } from '../insight/lint-rules.ts'
import { translateLegacyRules } from '../print/translate-legacy-rules.ts'
import { parseRules } from './parse-rules.ts'
import type { RuleSet } from './rule.ts'
import { parseSyntax } from './syntax.ts'

const TEXTS = fuzzCount(8_000)
const READINGS = [{}, { lenient: true }, { dialect: 'legacy' }] as const

test(`FUZ-04: ${TEXTS} texts parse or fail with a position, and parse to the same rules after printing`, {
  timeout: 7_200_000,
}, () => {
  const random = new SeededRandom(chooseSeed('FUZ-04'))
  let accepted = 0
  for (let left = TEXTS; left > 0; left--) {
    const text = randomText(random)
    for (const options of READINGS) {
      const ruleSet = readOrRefuse(text, () => parseRules(text, options))
      if (ruleSet === undefined) continue
      if (!('lenient' in options || 'dialect' in options)) accepted++
      const again = parseRules(printRules(ruleSet))
      if (JSON.stringify(meaning(again)) !== JSON.stringify(meaning(ruleSet))) {
        expect.fail(`printing changed the rules: ${JSON.stringify(text)}`)
      }
    }
    if (lintRules(text).some(({ line, column }) => line < 1 || column < 1)) expect.fail(JSON.stringify(text))
  }
  // The generator must produce enough valid and enough invalid texts.
  expect(accepted / TEXTS).toBeGreaterThan(0.15)
  expect(accepted / TEXTS).toBeLessThan(0.85)
})

test('FUZ-04: the translation of any syntactically valid text is syntactically valid', {
  timeout: 7_200_000,
}, () => {
  const random = new SeededRandom(chooseSeed('FUZ-04 translation'))
  for (let left = TEXTS / 2; left > 0; left--) {
    const text = randomText(random)
    for (const widening of ['keep', 'comment-out'] as const) {
      const translation = readOrRefuse(text, () => translateLegacyRules(text, { widening }))
      const again = readOrRefuse(translation?.rules ?? '', () => parseSyntax(translation?.rules ?? ''))
      if (again === undefined) expect.fail(`invalid translation: ${JSON.stringify({ text, translation })}`)
    }
  }
})

function readOrRefuse<Result>(text: string, read: () => Result): Result | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof AclError) || error.code !== 'rules_invalid') {
      throw new Error(`broke on ${JSON.stringify(text)}`, { cause: error })
    }
    const { line = 0, column = 0, field } = error.details
    if (line < 1 || column < 1 || field !== 'Rules') expect.fail(`no position: ${JSON.stringify(text)}`)
    return undefined
  }
}

function meaning({ rules }: RuleSet) {
  return rules.map(({ kind, match, segment, level, intentions }) => ({
    kind,
    match,
    segment,
    level,
    intentions,
  }))
}

const SIZE = 65_536

/** Texts of a size, each to stress one part of a parser. */
const LARGE_TEXTS: Readonly<Record<string, (size: number) => string>> = {
  rules: (size) => fill(size, (index) => `key "app/${index}" { policy = "read" }\n`),
  'rules in JSON': (size) =>
    `{"key":{${fill(size, (index) => `"app/${index}":{"policy":"read"},`).slice(0, -1)}}}`,
  'open blocks': (size) => fill(size, () => 'a{'),
  'open lists': (size) => `a = ${fill(size, () => '[')}`,
  'open lists in JSON': (size) => `{"a":${fill(size, () => '[')}`,
  comments: (size) => fill(size, () => '#\n'),
  'block comments on one line': (size) => fill(size, () => '/**/'),
  'an open comment': (size) => `/*${fill(size, () => '*')}`,
  'an open string': (size) => `"${fill(size, () => 'a')}`,
  'an open string in JSON': (size) => `{"${fill(size, () => 'a')}`,
  'an open string of escapes': (size) => `"${fill(size, () => '\\u00e9')}`,
  'a string of bytes': (size) => `key "${fill(size, () => '\\xc3\\xa9')}" { policy = "read" }`,
  'open interpolations': (size) => `"${fill(size, () => '${')}`,
  'a here-document that almost ends': (size) => `a = <<E\n${fill(size, () => 'EE\n')}`,
  'a here-document of carriage returns': (size) => `a = <<E\n${fill(size, () => '\r')}xE\n`,
  words: (size) => fill(size, () => 'a '),
  labels: (size) => `key ${fill(size, () => '"a" ')}`,
  digits: (size) => `a = ${fill(size, () => '1')}`,
  blanks: (size) => fill(size, () => ' '),
  'prefixes of one another': (size) =>
    fill(size, (index) => `key_prefix "${'a'.repeat(index % 250)}" { policy = "read" }\n`),
}

function fill(size: number, piece: (index: number) => string): string {
  const pieces: string[] = []
  for (let length = 0, index = 0; length < size; index++) {
    const next = piece(index)
    pieces.push(next)
    length += next.length
  }
  return pieces.join('').slice(0, size)
}

test.each(Object.keys(LARGE_TEXTS))('FUZ-04: parsing %s takes linear time', (name) => {
  const growth = growthOf(SIZE, LARGE_TEXTS[name] ?? String, (text) => {
    readOrRefuse(text, () => parseRules(text, { lenient: true }))
  })
  expect(growth).toBeLessThan(LINEAR_GROWTH_MAX)
})
