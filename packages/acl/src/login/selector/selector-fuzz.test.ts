import { AclError } from '@latchkey/contract'
import { naiveClaims, naiveMatches } from '@latchkey/testkit/login/naive-login'
import {
  CLAIM_MAPPINGS,
  LIST_CLAIM_MAPPINGS,
  randomClaims,
  randomMeaning,
  randomSelectorText,
  spell,
} from '@latchkey/testkit/login/random-selectors'
import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { expect, test } from 'vitest'
import { printSelector } from '../../../test/print-selector.ts'
import { parseSelector } from '../../filter/parse-selector.ts'
import type { Selector } from '../../filter/selector.ts'
import { attributesOf } from '../attributes.ts'
import { checkSelector, selectorIn } from './check-selector.ts'
import { lintSelector } from './lint-selector.ts'

/** `LATCHKEY_FUZZ=100000` tries a hundred thousand. */
const TEXTS = fuzzCount(4_000)
const SOURCE = selectorIn('Selector')

test(`FUZ-06: ${TEXTS} selectors are read or refused with a place, and read again as they were printed`, {
  timeout: 7_200_000,
}, () => {
  const random = new SeededRandom(chooseSeed('FUZ-06'))
  let accepted = 0
  for (let left = TEXTS; left > 0; left--) {
    const text = randomSelectorText(random)
    const selector = readOrRefuse(text)
    if (selector === undefined) continue
    accepted++
    const printed = printSelector(selector)
    const again = parseSelector(printed, SOURCE)
    if (JSON.stringify(meaning(again)) !== JSON.stringify(meaning(selector))) {
      expect.fail(`printed again, it means something else: ${JSON.stringify({ text, printed })}`)
    }
    if (printSelector(again) !== printed)
      expect.fail(`printed differently: ${JSON.stringify({ text, printed })}`)
  }
  // Checks that many texts are accepted and many refused, or the test would be meaningless.
  expect(accepted / TEXTS).toBeGreaterThan(0.3)
  expect(accepted / TEXTS).toBeLessThan(0.8)
})

function readOrRefuse(text: string): Selector | undefined {
  try {
    return parseSelector(text, SOURCE)
  } catch (error) {
    if (!(error instanceof AclError) || error.code !== 'selector_invalid') {
      throw new Error(`broke on ${JSON.stringify(text)}`, { cause: error })
    }
    const { line = 0, column = 0, field } = error.details
    if (line < 1 || column < 1 || field !== 'Selector') expect.fail(`no place: ${JSON.stringify(text)}`)
    return undefined
  }
}

/** A selector without the places of its terms, for comparison. */
function meaning(selector: Selector): unknown {
  if (selector.kind === 'term') return { ...selector, place: undefined }
  if (selector.kind === 'not') return { not: meaning(selector.operand) }
  return { [selector.kind]: selector.operands.map(meaning) }
}

test('FUZ-06: what lint says never matches never matches, whatever the claims', {
  timeout: 7_200_000,
}, () => {
  const random = new SeededRandom(chooseSeed('FUZ-06 lint'))
  const attributes = attributesOf({
    Type: 'jwt',
    Config: { ClaimMappings: CLAIM_MAPPINGS, ListClaimMappings: LIST_CLAIM_MAPPINGS },
  })
  let found = 0
  for (let left = TEXTS; left > 0; left--) {
    const whole = randomMeaning(random)
    const checked = checkSelector(spell(random, whole), attributes)
    if (checked === undefined) continue
    if (!lintSelector(checked).some(({ code }) => code === 'never_matches')) continue
    found++
    for (let tries = 40; tries > 0; tries--) {
      const claims = naiveClaims(randomClaims(random))
      if (typeof claims !== 'symbol' && naiveMatches(whole, claims)) {
        expect.fail(JSON.stringify({ selector: printSelector(checked.selector), claims }, null, 1))
      }
    }
  }
  expect(found).toBeGreaterThan(TEXTS / 100)
})
