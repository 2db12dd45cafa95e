import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { aConversion } from '../../../test/conversion.ts'
import { formatConversion } from '../../output/convert-text.ts'
import { REVIEW_TOKENS_MAX } from '../page/review-page.ts'
import { proveConversion } from '../proof/prove-conversion.ts'
import { makePlan } from './make-plan.ts'
import { writeConversion } from './write-conversion.ts'

const folder = temporaryFolder('convert-write')
const upgrade = { verdict: 'go', reasons: [], findings: [] } as const

test('a conversion that would change a decision is not written', () => {
  const right = aConversion([{ name: 'web', rules: 'key "web/" { policy = "write" }' }])
  const wrong = { ...right, policies: right.policies.map((each) => ({ ...each, rules: '' })) }
  for (const [conversion, isWritten] of [
    [wrong, false],
    [right, true],
  ] as const) {
    const proof = proveConversion(conversion, { questions: 0, seed: 1 })
    const plan = makePlan(conversion, {
      proof,
      upgrade: { unconverted: upgrade, converted: upgrade },
      refused: 0,
    })
    const out = join(folder, String(isWritten))
    expect(writeConversion(out, plan)).toBe(isWritten)
    expect(existsSync(out)).toBe(isWritten)
  }
})

test('with too many tokens for a page, an earlier page is removed, and the answer names the plan instead', () => {
  const conversion = aConversion([{ name: 'web', rules: 'key "web/" { policy = "write" }' }])
  const proof = proveConversion(conversion, { questions: 0, seed: 1 })
  const few = makePlan(conversion, {
    proof,
    upgrade: { unconverted: upgrade, converted: upgrade },
    refused: 0,
  })
  const many = {
    ...few,
    groups: few.groups.map((group) => ({
      ...group,
      tokens: group.tokens.flatMap((token) => Array.from({ length: REVIEW_TOKENS_MAX + 1 }, () => token)),
    })),
  }
  const out = join(folder, 'many')
  for (const [plan, expected] of [
    [few, 'open review.html there'],
    [many, 'plan.json there has the whole proposal. More than 250,000 tokens are too many for review.html'],
  ] as const) {
    writeConversion(out, plan)
    expect(readdirSync(out).includes('review.html')).toBe(plan === few)
    const view = { verdict: 'go', findings: [], folder: out } as const
    expect(formatConversion(plan, view, (_, text) => text)).toContain(`Written to ${out}: ${expected}.`)
  }
})
