import { expect, test } from 'vitest'
import { aConversion } from '../../../test/conversion.ts'
import type { Conversion } from '../make-conversion.ts'
import { proveConversion } from './prove-conversion.ts'

const COMMON = 'node "" { policy = "read" } agent "" { policy = "read" } session "" { policy = "write" }'

/** Two tokens for each of three services, whose rules are split into a common policy and their own, with a role for each. */
const CONVERSION = withRoles(
  ['web', 'db', 'mq'].flatMap((name) =>
    [1, 2].map(() => ({
      name,
      rules: `key "${name}/" { policy = "write" } service "${name}" { policy = "write" } ${COMMON}`,
    })),
  ),
)

function withRoles(tokens: Parameters<typeof aConversion>[0]): Conversion {
  const made = aConversion(tokens)
  const own = /^(?:key|service)_prefix/
  const blocks = (rules: string, isOwn: boolean) =>
    rules
      .split(/\n(?=\w)/)
      .filter((block) => own.test(block) === isOwn)
      .join('\n')
  const [first] = made.policies
  if (first === undefined) throw new TypeError('three policies')
  const shared = { ...first, name: 'shared', rules: blocks(first.rules, false) }
  const role = (name: string) => ({ ...{ id: name, name, description: '' }, policies: ['shared', name] })
  return {
    ...made,
    policies: [shared, ...made.policies.map((each) => ({ ...each, rules: blocks(each.rules, true) }))],
    roles: made.policies.map(({ name }) => role(name)),
    groups: made.groups.map((group) => ({ ...group, policies: [], roles: group.policies })),
  }
}
const prove = (conversion: Conversion) => proveConversion(conversion, { questions: 50, seed: 1 })

test('a conversion without fault changes no decision', () => {
  expect(prove(CONVERSION)).toMatchObject({
    tokens: 6,
    texts: 3,
    random: 150,
    differenceCount: 0,
    differences: [],
  })
})

const withPolicy = (index: number, change: (rules: string) => string): Conversion => ({
  ...CONVERSION,
  policies: CONVERSION.policies.map((policy, i) =>
    i === index ? { ...policy, rules: change(policy.rules) } : policy,
  ),
})

/** In capitals, service levels no longer imply rights on intentions. */
const toUpperLevels = (text: string) => text.replaceAll('"write"', '"WRITE"')

/** A fault in the proposal, and the token of the first difference. */
const FAULTS: Readonly<Record<string, Conversion>> = {
  'two groups have each other’s roles': {
    ...CONVERSION,
    groups: CONVERSION.groups.map((group, i) => ({
      ...group,
      roles: CONVERSION.groups[(i + 1) % 3]?.roles ?? [],
    })),
  },
  'a role lacks a policy': {
    ...CONVERSION,
    roles: CONVERSION.roles.map((role, i) =>
      i === 0 ? { ...role, policies: role.policies.slice(1) } : role,
    ),
  },
  'a token links a policy more': {
    ...CONVERSION,
    groups: CONVERSION.groups.map((group, i) => (i === 0 ? { ...group, policies: ['mq'] } : group)),
  },
  'a group has the tokens of another': {
    ...CONVERSION,
    groups: CONVERSION.groups.map((group, i) =>
      i === 0 ? { ...group, texts: [...group.texts, ...(CONVERSION.groups[1]?.texts ?? [])] } : group,
    ),
  },
  'a text that the source service reads differently': {
    ...CONVERSION,
    groups: CONVERSION.groups.map((group, i) =>
      i === 0 ? { ...group, texts: group.texts.map(toUpperLevels) } : group,
    ),
  },
  'a text that the source service refuses': {
    ...CONVERSION,
    groups: CONVERSION.groups.map((group, i) =>
      i === 0
        ? { ...group, texts: [`${group.texts[0]} key "b" { policy "x" { } policy = "write" }`] }
        : group,
    ),
  },
  'a policy lacks a rule': withPolicy(1, (rules) => rules.replace(/service_prefix[^}]*\}/, '')),
  'a prefix became an exact rule': withPolicy(1, (rules) => rules.replace('key_prefix', 'key')),
  'a level is lower': withPolicy(1, (rules) => rules.replace('"write"', '"read"')),
  'a policy denies what default allow grants': withPolicy(
    0,
    (rules) => `${rules}\nquery_prefix "" { policy = "deny" }`,
  ),
  'a policy grants acl': withPolicy(0, (rules) => `acl = "read"\n${rules}`),
}

test.each(Object.entries(FAULTS))('finds: %s', (_, conversion) => {
  const { differenceCount, differences } = prove(conversion)
  expect(differenceCount).toBeGreaterThan(0)
  expect(differences[0]?.before).not.toBe(differences[0]?.after)
})

test('a name that a policy may not have is refused, as the service refuses it', () => {
  const policies = CONVERSION.policies.map((policy) => ({ ...policy, name: 'a b' }))
  expect(() => prove({ ...CONVERSION, policies })).toThrow(expect.objectContaining({ code: 'name_invalid' }))
})
