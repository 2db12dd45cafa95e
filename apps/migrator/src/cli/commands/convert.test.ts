import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { fileWriter } from '../../../test/files.ts'
import { run } from '../../../test/io.ts'
import { planSchema } from '../../convert/files/plan-schema.ts'
import { EXIT } from '../../errors.ts'

const folder = temporaryFolder('convert')
const WEB = 'key "web/" { policy = "write" }'
const DUMP = JSON.stringify([
  { ID: 'first-secret', Name: 'web', Type: 'client', Rules: WEB, CreateIndex: 7, ModifyIndex: 7 },
  {
    ID: 'second-secret',
    Name: 'db',
    Type: 'client',
    Rules: 'key "db/" { policy = "write" }',
    CreateIndex: 8,
  },
  { ID: 'third-secret', Name: 'admin', Type: 'management' },
])
const SECRETS = /first-secret|second-secret|third-secret/

const file = fileWriter(folder)

test('SEC-01, LEAK-01: writes policies, plan, names and scripts, and no secret; the tokens keep their rights at 1.11', async () => {
  const out = join(folder, 'out')
  const { code, stdout } = await run(['convert', '-', '--out', out], { stdin: DUMP })
  expect(code).toBe(EXIT.done)
  expect(stdout).toContain('without the conversion: no-go')
  expect(stdout).toContain('with the conversion: go')
  expect(readdirSync(out).sort()).toEqual(['apply.sh', 'names.json', 'plan.json', 'policies', 'tokens.csv'])
  expect(readFileSync(join(out, 'policies', 'web.hcl'), 'utf8')).toBe(
    'key_prefix "web/" {\n  policy = "write"\n}\n',
  )
  const texts = ['apply.sh', 'plan.json', 'names.json'].map((name) => readFileSync(join(out, name), 'utf8'))
  for (const text of [...texts, stdout]) expect(text).not.toMatch(SECRETS)
  expect(() => planSchema.parse(JSON.parse(texts[1] ?? ''))).not.toThrow()
})

test('an empty dump gives an empty plan', async () => {
  const { code, stdout } = await run(['convert', '-', '--json'], { stdin: '[]' })
  expect(code).toBe(EXIT.done)
  expect(planSchema.parse(JSON.parse(stdout))).toMatchObject({ groups: [], policies: [], roles: [] })
})

test('3: a token with unreadable rules is reported, and the others are converted', async () => {
  const stdin = JSON.stringify([
    { ID: 'fourth', Name: 'bad', Rules: 'key {' },
    { ID: 'fifth', Name: 'good', Rules: WEB },
  ])
  const { code, stdout } = await run(['convert', '-', '--json'], { stdin })
  expect(code).toBe(EXIT.blockers)
  const plan = planSchema.parse(JSON.parse(stdout))
  expect(plan.unconvertible).toMatchObject([{ token: { name: 'bad' } }])
  expect(plan.upgrade.converted.verdict).toBe('no-go')
  expect(plan.groups).toHaveLength(1)
})

test('only policies of an earlier run are removed', async () => {
  const out = join(folder, 'again')
  mkdirSync(join(out, 'policies'), { recursive: true })
  writeFileSync(join(out, 'policies', 'mine.hcl'), '')
  await run(['convert', '-', '--out', out], { stdin: DUMP })
  await run(['convert', '-', '--out', out], { stdin: JSON.stringify([{ ID: 'a', Name: 'web', Rules: WEB }]) })
  expect(readdirSync(join(out, 'policies')).sort()).toEqual(['mine.hcl', 'web.hcl'])
})

test('accessors come from a token list, by secret or, where it shows none, by CreateIndex and name', async () => {
  const shown = '11111111-1111-4111-8111-111111111111'
  const hidden = '22222222-2222-4222-8222-222222222222'
  const list = file(
    'tokens.json',
    JSON.stringify([
      { AccessorID: shown, SecretID: 'first-secret', Description: 'renamed', CreateIndex: 70 },
      { AccessorID: hidden, SecretID: '<hidden>', Description: 'db', CreateIndex: 8 },
      { AccessorID: '', SecretID: 'third-secret', Description: 'admin', CreateIndex: 9 },
    ]),
  )
  const { stdout } = await run(['convert', '-', '--json', '--accessors', list], { stdin: DUMP })
  const { groups, management } = planSchema.parse(JSON.parse(stdout))
  expect(groups.map(({ tokens }) => tokens[0]?.accessor)).toEqual([shown, hidden])
  expect(management[0]?.accessor).toBeUndefined()
})

test('a token that two of the list may be has no accessor', async () => {
  const twin = { SecretID: '<hidden>', Description: 'db', CreateIndex: 8 }
  const ids = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222']
  const list = file('twins.json', JSON.stringify(ids.map((AccessorID) => ({ AccessorID, ...twin }))))
  const { stdout } = await run(['convert', '-', '--json', '--accessors', list], { stdin: DUMP })
  expect(planSchema.parse(JSON.parse(stdout)).groups[1]?.tokens[0]?.accessor).toBeUndefined()
})

test('records with an accessor are converted too, unless they have links already', async () => {
  const accessor = '11111111-1111-4111-8111-111111111111'
  const record = { AccessorID: accessor, SecretID: 'first-secret', Description: 'web', Rules: WEB }
  const linked = { ...record, AccessorID: accessor.replace('1', '2'), Policies: [{ ID: 'p' }] }
  const stdin = JSON.stringify([record, linked])
  const { code, stdout } = await run(['convert', '-', '--json'], { stdin })
  expect(code).toBe(EXIT.done)
  expect(stdout).not.toMatch(SECRETS)
  const { groups } = planSchema.parse(JSON.parse(stdout))
  expect(groups.map(({ tokens }) => tokens.map((token) => token.accessor))).toEqual([[accessor]])
})

test('2: a list that is not of the token API', async () => {
  const list = file('legacy.json', DUMP)
  const { code, stderr } = await run(['convert', '-', '--accessors', list], { stdin: DUMP })
  expect(code).toBe(EXIT.usage)
  expect(stderr).toContain('a record has no AccessorID')
})

test('names and rejections of a review count, and a rejected group loses its rights at 1.11', async () => {
  const first = planSchema.parse(JSON.parse((await run(['convert', '-', '--json'], { stdin: DUMP })).stdout))
  const names = file(
    'names.json',
    JSON.stringify({
      format: 1,
      policies: { [first.policies[0]?.id ?? '']: 'front-end' },
      rejected: [first.groups[1]?.id],
    }),
  )
  const out = join(folder, 'reviewed')
  const { code, stdout } = await run(['convert', '-', '--json', '--names', names, '--out', out], {
    stdin: DUMP,
  })
  expect(code).toBe(EXIT.blockers)
  const plan = planSchema.parse(JSON.parse(stdout))
  expect(plan.policies[0]?.name).toBe('front-end')
  expect(plan.groups.map(({ rejected }) => rejected)).toEqual([false, true])
  expect(plan.proof.tokens).toBe(1)
  expect(readdirSync(join(out, 'policies'))).toEqual(['front-end.hcl'])
  expect(readFileSync(join(out, 'apply.sh'), 'utf8')).not.toContain('db"')
  // The names that the folder has lead to the same plan.
  const again = ['convert', '-', '--json', '--names', join(out, 'names.json')]
  expect((await run(again, { stdin: DUMP })).stdout).toBe(stdout)
})

test.each([
  ['not JSON', 'names', 'not a JSON document'],
  ['an invalid name', '{"format":1,"policies":{"a":"a b"}}', 'policies.a: '],
  ['one name twice', '{"format":1,"policies":{"a":"x","b":"X"}}', 'not unique'],
])('2: names with %s', async (_, text, message) => {
  const out = join(folder, 'refused')
  const names = file('bad-names.json', text)
  const { code, stderr } = await run(['convert', '-', '--names', names, '--out', out], { stdin: DUMP })
  expect(code).toBe(EXIT.usage)
  expect(stderr).toContain(message)
  expect(existsSync(out)).toBe(false)
})

test('a stage converts the lines of --only; tokens with links are done, and --identities saves policies', async () => {
  const out = join(folder, 'all')
  const rules = 'node "n" { policy = "write" } service "" { policy = "read" }'
  const node = { ID: 'node-secret', Name: 'node', Type: 'client', Rules: rules, CreateIndex: 9 }
  const dump = file('staged.json', JSON.stringify([...JSON.parse(DUMP), node]))
  await run(['convert', dump, '--out', out])
  const [header, , db, , last] = readFileSync(join(out, 'tokens.csv'), 'utf8').split('\n')
  const stage = file('stage.csv', [header, db, last].join('\n'))
  const linked = { AccessorID: '22222222-2222-4222-8222-222222222222', Policies: [{ ID: 'p' }] }
  const list = file('list.json', JSON.stringify([{ ...linked, SecretID: 'second-secret' }]))
  const nodes = file('nodes.json', JSON.stringify([{ Node: 'n', Datacenter: 'dc1' }]))
  const options = ['--only', stage, '--accessors', list, '--identities', nodes, '--json']
  const { code, stdout } = await run(['convert', dump, ...options])
  expect(code).toBe(EXIT.done)
  const plan = planSchema.parse(JSON.parse(stdout))
  expect(plan).toMatchObject({ policies: [], linked: [{ name: 'db' }], waiting: [{}, {}] })
  expect(plan.groups).toMatchObject([{ nodeIdentities: [{ NodeName: 'n', Datacenter: 'dc1' }] }])
})

test.each(['--existing', '--identities'])('2: %s with an answer of another endpoint', async (option) => {
  const list = file('other.json', '[{"AccessorID":"x"}]')
  const { code, stderr } = await run(['convert', '-', option, list], { stdin: DUMP })
  expect(code).toBe(EXIT.usage)
  expect(stderr).toContain('a record has no')
})
