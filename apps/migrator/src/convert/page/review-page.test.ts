import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { aConversion } from '../../../test/conversion.ts'
import { consulScript, latchkeyScript, SCRIPT_PARTS } from '../files/commands.ts'
import { makePlan } from '../files/make-plan.ts'
import { proveConversion } from '../proof/prove-conversion.ts'
import { renderReview } from './review-page.ts'

const HOSTILE = '</script><script>alert(1)</script><!-- <img src=x onerror=alert(1)>'
const conversion = aConversion([
  { name: HOSTILE, rules: `key ${JSON.stringify(HOSTILE)} { policy = "read" }` },
  { name: 'web', rules: 'key "web/" { policy = "write" }' },
  { name: HOSTILE, rules: 'key {' },
])
const upgrade = { verdict: 'no-go', reasons: [HOSTILE], findings: [] } as const
const plan = makePlan(conversion, {
  proof: proveConversion(conversion, { questions: 1, seed: 1 }),
  upgrade: { unconverted: upgrade, converted: upgrade },
  refused: 0,
})
const page = renderReview(plan)
const elementOf = (id: string) => new RegExp(`id="${id}">([^<]*)<`).exec(page)?.[1] ?? ''

test('needs nothing from elsewhere, and may request nothing', () => {
  expect(page).not.toMatch(/<link|<img|@import|url\(|<[a-z]+[^>]* src=|https?:\/\/(?!127\.0\.0\.1)/)
  expect(page).toContain('default-src &#39;none&#39;; script-src &#39;sha256-')
})

test('text of the dump is text: it ends no element', () => {
  expect(page.match(/<script/g)).toHaveLength(3)
  expect(page).not.toContain('<img')
  expect(JSON.parse(elementOf('plan')).groups[0].tokens[0].name).toBe(HOSTILE)
})

describe('the scripts that the page makes', () => {
  const [, functions = ''] = /<script>(const COMMANDS = [\s\S]*?\n\}\)\(\)\n)/.exec(page) ?? []
  const call = (name: string, of: unknown) =>
    runInNewContext(`${functions}\nCOMMANDS[${JSON.stringify(name)}](plan, parts)`, {
      plan: of,
      parts: JSON.parse(elementOf('parts')),
    })

  test('are those of the command line', () => {
    const embedded = JSON.parse(elementOf('plan'))
    expect(call('consulScript', embedded)).toBe(consulScript(plan, SCRIPT_PARTS))
    expect(call('latchkeyScript', embedded)).toBe(latchkeyScript(plan, SCRIPT_PARTS))
  })

  test('leave out a rejected group and its policies', () => {
    const groups = plan.groups.map((group) => ({ ...group, rejected: group.name === 'web' }))
    expect(call('consulScript', { ...plan, groups })).not.toContain('web')
  })
})
