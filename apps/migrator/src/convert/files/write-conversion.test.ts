import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { aConversion } from '../../../test/conversion.ts'
import { planOf } from '../make-conversion.ts'
import { proveConversion } from '../proof/prove-conversion.ts'
import { decisionsOf } from '../review-decisions.ts'
import { writeConversion } from './commands.ts'

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
    const plan = planOf(conversion, {
      proof,
      upgrade: { unconverted: upgrade, converted: upgrade },
      refused: 0,
    })
    const out = join(folder, String(isWritten))
    expect(writeConversion(out, plan, () => ({ names: decisionsOf(plan), tokens: '' }))).toBe(isWritten)
    expect(existsSync(out)).toBe(isWritten)
  }
})
