import { type CreatePolicy, policyListEntrySchema, policySchema } from '@latchkey/contract'
import { aDirectory, countingRandom } from '@latchkey/testkit/records/context'
import { aPolicy } from '@latchkey/testkit/records/record-builders'
import { refusalOf } from '@latchkey/testkit/records/refusal'
import { describe, expect, test } from 'vitest'
import { GLOBAL_MANAGEMENT_POLICY_ID } from '../builtin.ts'
import { policyHash } from '../hash.ts'
import { globalManagementRules } from '../rules/decide/generated-rules.ts'
import { findRulesProblem } from '../rules/language/parse-rules.ts'
import { createPolicy, showPolicy, showPolicyListEntry, updatePolicy } from './policy-rules.ts'

const reader = aPolicy({ Name: 'Reader', Datacenters: ['dc1'], Description: 'before' })
const writer = aPolicy({ Name: 'writer' })
const builtin = aPolicy({
  ID: GLOBAL_MANAGEMENT_POLICY_ID,
  Name: 'global-management',
  Rules: globalManagementRules(),
})
const directory = aDirectory({ policies: [reader, writer, builtin] })

const problemOf = ({ Rules = '' }: Partial<CreatePolicy>) => findRulesProblem(Rules)
const create = (request: Partial<CreatePolicy>, namespace = 'default') =>
  createPolicy(
    { Name: 'new', ...request },
    { random: countingRandom(), directory, namespace, rulesProblem: problemOf(request) },
  )
const update = (request: Partial<CreatePolicy>, existing = reader) =>
  updatePolicy(existing, { Name: existing.Name, ...request }, { directory, rulesProblem: problemOf(request) })

describe('create', () => {
  test.each(['a', 'A-_9', 'x'.repeat(128)])('the name %s passes', (Name) => {
    expect(create({ Name }).Name).toBe(Name)
  })

  test.each<readonly [string, Partial<CreatePolicy>, string, string]>([
    ['an ID', { ID: reader.ID }, 'field_invalid', 'ID'],
    ['a letter that only looks Latin', { Name: 'rеader' }, 'name_invalid', 'Name'],
    ['a newline after the name', { Name: 'a\n' }, 'name_invalid', 'Name'],
    ['a name of 129 characters', { Name: 'x'.repeat(129) }, 'name_invalid', 'Name'],
    ['the name of the built-in policy in another case', { Name: 'Global-Management' }, 'name_in_use', 'Name'],
  ])('refused: %s', (_name, request, code, field) => {
    expect(refusalOf(() => create(request))).toMatchObject({ code, field })
  })

  test.each(['global-management', 'Global-Management'])(
    'refused: the name %s in another namespace (INJ-01)',
    (Name) => {
      expect(refusalOf(() => create({ Name }, 'team'))).toMatchObject({ code: 'name_invalid', field: 'Name' })
    },
  )
})

test('update may rename, also to its own name in another case, and repeat its ID in any case', () => {
  expect(update({ Name: 'READER', ID: reader.ID.toUpperCase() })).toMatchObject({
    Name: 'READER',
    ID: reader.ID,
  })
  const renamed = update({ Name: 'viewer' })
  expect(renamed.Hash).toBe(policyHash(renamed))
})

describe('the built-in policy', () => {
  test('its name stays reserved while it is renamed, and it may take the name back', () => {
    const renamed = { ...builtin, Name: 'root' }
    const elsewhere = { directory: aDirectory({ policies: [reader, renamed] }), rulesProblem: undefined }
    const request = { Name: 'global-management', Rules: builtin.Rules }
    expect(refusalOf(() => updatePolicy(reader, request, elsewhere)).code).toBe('name_invalid')
    expect(updatePolicy(renamed, request, elsewhere).Name).toBe('global-management')
  })

  test.each<readonly [string, Partial<CreatePolicy>, string]>([
    ['other rules', { Rules: 'acl = "read"' }, 'Rules'],
    ['no rules', {}, 'Rules'],
    ['datacenters', { Rules: builtin.Rules, Datacenters: ['dc1'] }, 'Datacenters'],
    ['an empty list of datacenters', { Rules: builtin.Rules, Datacenters: [] }, 'Datacenters'],
  ])('builtin_immutable: %s', (_name, request, field) => {
    expect(refusalOf(() => update(request, builtin))).toMatchObject({ code: 'builtin_immutable', field })
  })
})

describe('shown', () => {
  test('alone: keys in the order of the contract, no empty datacenters', () => {
    expect(Object.keys(showPolicy(reader, true))).toEqual(Object.keys(policySchema.shape))
    for (const Datacenters of [undefined, []]) {
      expect(showPolicy({ ...reader, Datacenters }, false)).not.toHaveProperty('Datacenters')
    }
  })

  test('in a list: without rules, always with datacenters, null if never given', () => {
    expect(Object.keys(showPolicyListEntry(reader, true))).toEqual(Object.keys(policyListEntrySchema.shape))
    expect(showPolicyListEntry(writer, false).Datacenters).toBeNull()
    expect(showPolicyListEntry({ ...writer, Datacenters: [] }, false).Datacenters).toEqual([])
  })
})
