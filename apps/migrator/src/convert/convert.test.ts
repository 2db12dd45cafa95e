import { limits } from '@latchkey/contract'
import { describe, expect, test } from 'vitest'
import { aConversion, type TokenInput } from '../../test/conversion.ts'
import type { Conversion } from './make-conversion.ts'
import { proveConversion } from './proof/prove-conversion.ts'

const WEB = 'key "web/" { policy = "write" } service "web" { policy = "write" }'
const COMMON = 'node "" { policy = "read" } agent "" { policy = "read" } session "" { policy = "write" }'

const policyNames = ({ policies }: Conversion) => policies.map(({ name }) => name)

describe('groups', () => {
  test('tokens whose rules decide equally are one group, whatever their texts are', () => {
    const { groups, roles } = aConversion([
      { rules: 'key "a" { policy = "read" } key "a/b" { policy = "read" }' },
      { rules: '{"key":{"a":{"policy":"read"}}}' },
      { rules: 'key "a" { policy = "write" }' },
    ])
    expect(groups.map(({ tokens }) => tokens.map(({ position }) => position))).toEqual([[0, 1], [2]])
    // A single policy is linked directly, without a role.
    expect(roles).toEqual([])
  })

  test('management tokens, empty rules, rules without effect and unreadable ones are told apart, none is dropped', () => {
    const conversion = aConversion([
      { type: 'management' },
      { rules: '' },
      { rules: '# nothing\nacl = "write"' },
      { rules: 'key "a" { policy = "bogus" }' },
      { rules: WEB },
    ])
    expect(conversion.management).toHaveLength(1)
    expect(conversion.withoutRules).toHaveLength(1)
    expect(conversion.cleared).toMatchObject([{ position: 2 }])
    expect(conversion.unconvertible).toMatchObject([{ token: { position: 3 } }])
    expect(conversion.groups).toHaveLength(1)
    expect(conversion.policies).toHaveLength(1)
  })
})

describe('policies and roles', () => {
  test('each group has one policy, which every token links, also where groups have rules in common', () => {
    const tokens = ['web', 'db'].flatMap((name) =>
      [1, 2].map((i) => ({ name: `${name} ${i}`, rules: `key "${name}/" { policy = "write" } ${COMMON}` })),
    )
    const conversion = aConversion(tokens)
    expect(policyNames(conversion)).toEqual(['web', 'db'])
    expect(conversion.roles).toEqual([])
    expect(conversion.groups.map(({ policies }) => policies)).toEqual([['web'], ['db']])
  })

  /** In a policy each of these characters takes six bytes. */
  const longRule = (name: string, length: number) => `key "${name}${'\u0001'.repeat(length)}" {policy="read"}`

  test('rules longer than a policy may be become several policies', () => {
    const rules = Array.from({ length: 3 }, (_, i) => longRule(`${i}/`, 12_500)).join(' ')
    const conversion = aConversion([{ name: 'long', rules }])
    expect(conversion).toMatchObject({
      roles: [],
      groups: [{ name: 'long', policies: ['long', 'long-2', 'long-3'], roles: [] }],
    })
    const shared = aConversion([1, 2].map(() => ({ name: 'long', rules })))
    expect(shared).toMatchObject({
      roles: [{ name: 'long', policies: ['long', 'long-2', 'long-3'] }],
      groups: [{ policies: [], roles: ['long'] }],
    })
    expect(proveConversion(shared, { questions: 5, seed: 1 }).differenceCount).toBe(0)
    expect(conversion.policies.map(({ rules: text }) => text.length < limits.RULES_BYTES_MAX)).toEqual([
      true,
      true,
      true,
    ])
    expect(proveConversion(conversion, { questions: 5, seed: 1 }).differenceCount).toBe(0)
  })

  test('one rule that no policy can hold is reported', () => {
    const { unconvertible, groups } = aConversion([{ rules: longRule('', 90_000) }])
    expect(unconvertible).toMatchObject([
      { reason: expect.stringContaining(`${limits.RULES_BYTES_MAX} bytes`) },
    ])
    expect(groups).toEqual([])
  })
})

describe('names', () => {
  const names = (...tokens: TokenInput[]) => policyNames(aConversion(tokens))

  test('come from the tokens, in letters that a name may have', () => {
    expect(names({ name: 'Überwachung: "Prod"\n$(rm -rf /)', rules: WEB })).toEqual([
      'uberwachung-prod-rm-rf',
    ])
  })

  test('come from what all token names have in common', () => {
    expect(names({ name: 'web server 1', rules: WEB }, { name: 'web server 2', rules: WEB })).toEqual([
      'web-server',
    ])
  })

  test('come from the rules where the tokens have no usable name', () => {
    expect(names({ name: '中文', rules: 'key "a/b" { policy = "read" }' })).toEqual(['key-a-b-read'])
  })

  test('are unique without case, and never the built-in one', () => {
    const rules = (i: number) => `key "${i}" { policy = "read" }`
    const tokens = ['Web', 'web', 'WEB', 'global-management'].map((name, i) => ({ name, rules: rules(i) }))
    expect(names(...tokens)).toEqual(['web', 'web-2', 'web-3', 'global-management-2'])
  })

  test('a token named after its secret has no name', () => {
    const conversion = aConversion([{ id: 'SECRET-1', name: 'token secret-1', rules: WEB }])
    expect(JSON.stringify(conversion).toLowerCase()).not.toContain('secret-1')
  })
})

test('the decisions of a review: names and rejected groups, by ids that the next run has too', () => {
  const tokens = [
    { name: 'web', rules: WEB },
    { name: 'db', rules: 'key "db/" { policy = "write" }' },
  ]
  const { policies, groups } = aConversion(tokens)
  const decisions = {
    format: 1 as const,
    policies: { [policies[0]?.id ?? '']: 'DB' },
    roles: {},
    rejected: [groups[1]?.id ?? ''],
  }
  const decided = aConversion(tokens.toReversed(), { review: decisions })
  expect(policyNames(decided)).toEqual(['db-2', 'DB'])
  expect(decided.groups.map(({ rejected }) => rejected)).toEqual([true, false])
})

test.each([
  ['key "a" { policy = "WRITE" }', /source service allows .* on key "a".*, Latchkey denies/],
  ['operator = "DENY"', /default policy allow, the source service allows .* on operator.*, Latchkey denies/],
  [
    '{"key":{"a\\/b":{"policy":"read"}}}',
    /source service refuses the rules; Latchkey allows .* on key "a\/b"/,
  ],
  ['key { policy = "read" }', /source service allows .* on key "policy".*; Latchkey refuses/],
])(
  'a token whose rules mean something else in Latchkey stays, and the reason has both meanings: %s',
  (rules, reason) => {
    const { groups, cleared, unconvertible } = aConversion([{ rules }])
    expect({ groups, cleared }).toEqual({ groups: [], cleared: [] })
    expect(unconvertible).toMatchObject([{ reason: expect.stringMatching(reason) }])
  },
)
