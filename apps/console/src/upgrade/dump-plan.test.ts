import { expect, test } from 'vitest'
import { planDump, policyOf } from './dump-plan.ts'

const SECRET = '9f0c1a2b-0000-4000-8000-000000000001'

function dumpOf(records: readonly object[]): ReadableStream<Uint8Array> {
  return new Blob([JSON.stringify(records)]).stream()
}

test('counts tokens, names what cannot be imported, and contains no secret', async () => {
  const rules = 'key "shop/" { policy = "read" }'
  const plan = await planDump(
    dumpOf([
      { ID: SECRET, Name: `token ${SECRET}`, Type: 'client', Rules: rules },
      { ID: 'b', Name: 'web', Type: 'client', Rules: rules },
      { ID: 'c', Name: 'ops', Type: 'management', Rules: '' },
      { ID: SECRET, Name: 'twice', Type: 'client', Rules: '' },
    ]),
    () => undefined,
  )
  expect(plan).toMatchObject({ tokens: 3, management: 1, withRules: 2, refused: 1, batches: 1 })
  expect(plan.texts).toEqual([{ rules, tokens: 2 }])
  expect(plan.findings.map(({ code, severity, tokens }) => [code, severity, tokens])).toEqual([
    ['id_duplicate', 'error', 1],
  ])
  expect(JSON.stringify(plan)).not.toContain(SECRET)
})

test('translates legacy rules to a policy, and comments out what they ignored', () => {
  const policy = policyOf('key "a" { policy = "read" }\nacl = "write"')
  expect(policy?.rules).toContain('key_prefix "a"')
  expect(policy?.notes).toHaveLength(1)
  expect(policyOf('key {')).toBeUndefined()
})
