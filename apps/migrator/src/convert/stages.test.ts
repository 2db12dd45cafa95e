import { policyHash } from '@latchkey/acl'
import { expect, test } from 'vitest'
import { aConversion } from '../../test/conversion.ts'
import { Existing } from './existing.ts'
import { stageOf } from './make-conversion.ts'

const rule = (name: string) => `key "${name}/" { policy = "write" }`
const TOKENS = ['web', 'db', 'mq'].map((name) => ({ name, rules: rule(name) }))
const FIRST = aConversion(TOKENS)

/** What a service has: the policies of a conversion, and others. */
function aService(
  policies: readonly { readonly name: string; readonly description: string; readonly rules: string }[],
  change: object = {},
): Existing {
  const existing = new Existing()
  for (const { name: Name, description: Description, rules: Rules } of policies) {
    const fields = { Name, Description, Rules, Datacenters: undefined, ...change }
    expect(existing.add({ Name: fields.Name, Description, Hash: policyHash(fields) })).toBe(true)
  }
  return existing
}
const foreign = (name: string) => ({ name, description: '', rules: rule('other') })
const namesIn = (existing: Existing, policies: Record<string, string> = {}) =>
  aConversion(TOKENS, { existing, review: { format: 1, policies, roles: {}, rejected: [] } }).policies.map(
    ({ name }) => name,
  )

test('names avoid those of the service, whatever their case', () => {
  expect(namesIn(aService(['WEB', 'db', 'db-2'].map(foreign)))).toEqual(['web-2', 'db-3', 'mq'])
})

test('a policy that an earlier conversion made keeps its name there, also after a rename', () => {
  expect(namesIn(aService(FIRST.policies))).toEqual(['web', 'db', 'mq'])
  expect(namesIn(aService(FIRST.policies, { Name: 'renamed' }))).toEqual(['renamed', 'renamed', 'renamed'])
})

test.each([
  ['rules', { Rules: rule('more') }],
  ['datacenters', { Datacenters: ['dc1'] }],
])('a policy of an earlier conversion that has other %s now is left alone, and reported', (_, change) => {
  const existing = aService(FIRST.policies.slice(0, 1), change)
  const conversion = aConversion(TOKENS, { existing })
  expect(conversion.policies.map(({ name }) => name)).toEqual(['web-2', 'db', 'mq'])
  expect(conversion.edited).toEqual(['web'])
})

test('every chosen name that the service has with other rules, or that is there twice, is in one error', () => {
  const [web = '', db = '', mq = ''] = FIRST.policies.map(({ id }) => id)
  const existing = aService(['web', 'db'].map(foreign))
  const attempt = () => namesIn(existing, { [web]: 'web', [db]: 'DB', [mq]: 'mq', other: 'MQ' })
  expect(attempt).toThrow(
    `policies.other "MQ" is there twice, policies.${web} "web" exists in the service with other rules, policies.${db} "DB" exists`,
  )
  expect(namesIn(aService(FIRST.policies), { [web]: 'web', [mq]: 'queue' })).toEqual(['web', 'db', 'queue'])
})

test('a stage has its tokens alone, with the names that the whole conversion gives them', () => {
  const conversion = aConversion([
    ...TOKENS,
    { name: 'db', rules: rule('db') },
    { name: 'admin', type: 'management' },
    { name: 'bad', rules: 'key {' },
  ])
  const stage = stageOf(conversion, ({ position }) => position === 3)
  expect(stage.groups.map(({ tokens }) => tokens.map(({ position }) => position))).toEqual([[3]])
  expect(stage.policies.map(({ name }) => name)).toEqual(['db'])
  expect(stage.waiting.map(({ position }) => position)).toEqual([0, 1, 2, 4])
  expect(stage).toMatchObject({ management: [], unconvertible: [{ token: { position: 5 } }] })
})
