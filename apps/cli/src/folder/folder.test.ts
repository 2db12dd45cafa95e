/** Plan, apply and export, against the mocks. */
import { generateKeyPairSync } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { mockedLine, temporaryFolder } from '../../test/run.ts'
import { EXIT } from '../frame/cli-error.ts'
import { describeChange } from '../insight/confirm-rules.ts'
import { renderPlan } from './actions.ts'
import { folderSchema } from './kinds.ts'
import type { Plan } from './plan.ts'

const { service, client, run } = mockedLine()
const ACCESSOR = '11111111-2222-4333-8444-555555555555'
const SHOP = `kind: policy
Name: orders
Rules: |
  key_prefix "orders/" {
    policy = "read"
  }
---
kind: role
Name: shop
Policies: [{ Name: orders }]
---
kind: token
AccessorID: ${ACCESSOR}
Description: shop web
Roles: [{ Name: shop }]
`

let folder = ''
beforeEach(() => {
  service.reset()
  folder = temporaryFolder()
})

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

const plan = (...options: string[]) => run(['plan', folder, ...options])
const apply = (...options: string[]) => run(['apply', folder, ...options])
const names = async () => (await client.policies.list()).map(({ Name }) => Name)

test('applies a folder once: 2 before, 0 after, and nothing the second time', async () => {
  write('shop.yaml', SHOP)
  const before = await plan()
  expect(before).toMatchObject({ code: EXIT.differs, stderr: '' })
  expect(before.stdout).toContain('3 to create, 0 to update, 0 to delete, 0 unchanged.')
  expect(await apply()).toMatchObject({ code: EXIT.done })
  expect(await plan()).toMatchObject({ code: EXIT.done })
  const { Roles, SecretID } = await client.tokens.read(ACCESSOR)
  expect(Roles?.map(({ Name }) => Name)).toEqual(['shop'])
  const writes = service.calls.filter(({ method }) => method !== 'GET').length
  expect(await apply()).toMatchObject({ code: EXIT.done })
  expect(service.calls.filter(({ method }) => method !== 'GET')).toHaveLength(writes)
  expect((await client.tokens.read(ACCESSOR)).SecretID).toBe(SecretID)
})

test('shows drift line by line, and mends it', async () => {
  write('shop.yaml', SHOP)
  await apply()
  const { ID } = await client.policies.readByName('orders')
  const Rules = 'key_prefix "orders/" {\n  policy = "write"\n}\n'
  await client.policies.update(ID, { Name: 'orders', Rules })
  const { code, stdout } = await plan()
  expect(code).toBe(EXIT.differs)
  expect(stdout).toContain('    -   policy = "write"\n    +   policy = "read"\n')
  await apply()
  expect((await client.policies.read(ID)).Rules).toContain('"read"')
})

test('deletes only with --prune and --yes, only kinds that the folder has, and not its own token', async () => {
  await client.policies.create({ Name: 'stale' })
  await client.roles.create({ Name: 'kept' })
  const roleless = SHOP.replace(/---\nkind: role[\s\S]*?---\n/, '---\n')
  write('shop.yaml', roleless.replace('Roles: [{ Name: shop }]\n', ''))
  expect((await plan()).stdout).toContain('0 to delete')
  expect((await plan('--prune')).stdout).toContain('1 to delete')
  expect(await apply('--prune')).toMatchObject({ code: EXIT.usage })
  expect(await names()).toContain('stale')
  expect(await apply('--prune', '--yes')).toMatchObject({ code: EXIT.done })
  expect((await names()).sort()).toEqual(['global-management', 'orders'])
  expect((await client.roles.list()).map(({ Name }) => Name)).toEqual(['kept'])
  expect(await plan('--prune')).toMatchObject({ code: EXIT.done })
})

test('a failed write undoes the writes before it', async () => {
  await client.policies.create({ Name: 'orders', Rules: 'key "a" { policy = "read" }' })
  write('shop.yaml', SHOP)
  service.failNext('tokens.create', 'field_invalid')
  const { code, stderr } = await apply()
  expect(code).toBe(EXIT.failed)
  expect(stderr).toContain('nothing was changed')
  expect(await client.roles.list()).toEqual([])
  expect((await client.policies.readByName('orders')).Rules).toBe('key "a" { policy = "read" }')
})

test('an export of one service, applied to another, gives the same records', async () => {
  write('shop.yaml', SHOP)
  await apply()
  await client.authMethods.create({
    ...{ Name: 'ci', Type: 'jwt', MaxTokenTTL: '15m', Config: { JWTValidationPubKeys: [] } },
    ...{ Config: { JWKSURL: 'https://ci.example/jwks.json', ClaimMappings: { team: 'team' } } },
  })
  const bound = { BindType: 'role', BindName: 'shop', Selector: 'value.team == "shop"' }
  await client.bindingRules.create({ AuthMethod: 'ci', ...bound })
  const exported = join(folder, 'exported')
  expect(await run(['export', exported])).toMatchObject({ code: EXIT.done })
  for (const kind of ['policies', 'roles', 'tokens', 'auth-methods', 'binding-rules']) {
    expect(readFileSync(join(exported, `${kind}.yaml`), 'utf8')).not.toContain('SecretID')
  }
  expect(await run(['plan', exported])).toMatchObject({ code: EXIT.done })
  service.reset()
  expect(await run(['apply', exported])).toMatchObject({ code: EXIT.done })
  expect(await run(['plan', exported])).toMatchObject({ code: EXIT.done })
})

test('names every record that cannot be used, with file and line, before anything is sent', async () => {
  write('bad.yaml', 'kind: policy\nName: a\nRules: "key {{"\n---\nkind: tokn\n---\nkind: role\nNam: b\n')
  write(
    'worse.yaml',
    `kind: token\nAccessorID: ${ACCESSOR}\nSecretID: x\n---\nkind: role\nName: c\n---\nkind: role\nName: C\n`,
  )
  const { code, stderr } = await apply()
  expect(code).toBe(EXIT.invalid)
  for (const text of ['bad.yaml:1: Rules: line 1, column 6', 'bad.yaml:4: kind is "tokn"', 'bad.yaml:6: ']) {
    expect(stderr).toContain(text)
  }
  expect(stderr).toContain('folders contain no secrets')
  expect(stderr).toContain('worse.yaml:7: role c is also in')
  expect(service.calls).toEqual([])
})

const FIXED = `kind: token\nAccessorID: ${ACCESSOR}\nLocal: true\n`

test.each([
  ['a link to nothing', 'kind: role\nName: a\nPolicies: [{ Name: nope }]\n', 'there is no "nope"'],
  ['a field that cannot change', FIXED, 'Local of an existing token'],
])('%s is refused before anything is written: 6', async (_, text, message) => {
  await client.tokens.create({ AccessorID: ACCESSOR })
  write('a.yaml', text)
  const { code, stderr } = await apply()
  expect(code).toBe(EXIT.invalid)
  expect(stderr).toContain(message)
})

test('a key in PEM keeps its line ends: in --config, in a folder, and where a table shows it', async () => {
  const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const pem = String(publicKey.export({ type: 'spki', format: 'pem' }))
  // Without `|`, YAML folds line ends to blanks.
  const folded = `JWTValidationPubKeys:\n  - ${pem.trim().replaceAll('\n', '\n    ')}\n`
  const config = join(temporaryFolder(), 'ci.yaml')
  writeFileSync(config, folded)
  expect(await run(`auth-method create ci --type jwt --config ${config}`)).toMatchObject({ code: EXIT.done })
  expect((await client.authMethods.read('ci')).Config).toEqual({ JWTValidationPubKeys: [pem] })
  const shown = (await run('auth-method read ci')).stdout.split('\n').map((line) => line.trim())
  expect(shown).toEqual(expect.arrayContaining(pem.trim().split('\n')))
  write('ci.yaml', `kind: auth-method\nName: ci\nType: jwt\nConfig:\n  ${folded.replaceAll('\n', '\n  ')}`)
  expect(await plan()).toMatchObject({ code: EXIT.done })
})

test('the JSON Schema has a form for every kind, with the fields that a folder manages', () => {
  const text = JSON.stringify(folderSchema())
  expect(text).toContain('{"const":"binding-rule"}')
  expect(text).toContain('"Rules"')
  expect(text).not.toContain('"SecretID"')
})

test('neither a plan nor a forecast shows control sequences of a stored description', () => {
  const Description = 'a\u001b[2J\u009bb\n  + forged'
  const fields = { kind: 'policy', name: 'x', namespace: undefined, fields: ['Description'] } as const
  const change = { ...fields, action: 'update', before: { Description }, after: { Description: 'c' } }
  const plan = renderPlan({ changes: [change], unchangedCount: 0 } as unknown as Plan, (_, text) => text)
  const changed = { AccessorID: ACCESSOR, Description, Gains: [], Losses: [] }
  const forecast = describeChange(changed, (_, text) => text)
  expect(plan + forecast).not.toMatch(/[\u001b\u009b]/)
  expect(forecast).not.toContain('\n')
})
