import { growthOf, LINEAR_GROWTH_MAX } from '@latchkey/testkit/growth'
import { expect, test, vi } from 'vitest'
import { lintRules } from '../insight/lint-rules.ts'
import { translateLegacyRules } from '../print/translate-legacy-rules.ts'

/** Texts on one line, by number of tokens. */
const ON_ONE_LINE: Readonly<Record<string, (count: number) => string>> = {
  'blocks of HCL': (count) => many(count, (i) => `key "${i}" { policy = "read" } `),
  'comments of HCL': (count) => many(count, (i) => `/* ${i} */`),
  'strings of HCL': (count) => `key "a" { policy = "read" } a = [${many(count, () => '"", ')}]`,
  'members of JSON': (count) => `{"key":{${many(count, (i) => `"${i}":{"policy":"read"},`).slice(0, -1)}}}`,
  'elements of JSON': (count) => `{"a":[${many(count, () => '1,')}1]}`,
}

function many(count: number, text: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => text(i)).join('')
}

/** How many characters `indexOf` scans during some work. */
function searchedBy(work: () => void): number {
  let searched = 0
  const indexOf = String.prototype.indexOf
  const spy = vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, text, start) {
    const at = indexOf.call(this, text, start)
    searched += (at === -1 ? this.length : at) - (start ?? 0)
    return at
  })
  work()
  spy.mockRestore()
  return searched
}

test.each(Object.keys(ON_ONE_LINE))('DOS-05: scanning a text without line ends is linear: %s', (name) => {
  const text = ON_ONE_LINE[name]?.(500) ?? ''
  expect(searchedBy(() => lintRules(text))).toBeLessThan(20 * text.length)
  expect(searchedBy(() => translateLegacyRules(text, { widening: 'comment-out' }))).toBeLessThan(
    20 * text.length,
  )
})

test.each([' \t', '', '\r'])(
  'DOS-05: a here-document ends at its name, however long the name: %j around it',
  (space) => {
    const findings = (name: string) =>
      lintRules(`key "a" {\n  policy = <<${name}\nx${name}\nread\n${space}${name}\r\n}\n`).map(
        ({ code, line }) => ({ code, line }),
      )
    expect(findings('N'.repeat(25_000))).toEqual(findings('NAME'))
    expect(lintRules(`a = <<${'N'.repeat(100_000)}\nx\n`)[0]?.message.length).toBeLessThan(400)
  },
)

test('the measure of growth tells linear work from quadratic work', () => {
  const steps = (count: number) => {
    let sum = 0
    for (let i = 0; i < count; i += 1) sum = (sum * 31 + i) % 1_000_003
    return sum
  }
  expect(growthOf(800_000, Number, steps)).toBeLessThan(LINEAR_GROWTH_MAX)
  expect(growthOf(2_400, Number, (length) => steps(length ** 2))).toBeGreaterThan(LINEAR_GROWTH_MAX)
})
