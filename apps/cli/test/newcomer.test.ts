/** The journey of a new user, against the mocks. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMockService } from '@latchkey/mocks'
import { expect, test } from 'vitest'
import { EXIT } from '../src/frame/cli-error.ts'
import { commandLine, temporaryFolder } from './run.ts'

const service = createMockService({ managementToken: false })
const run = commandLine({ fetch: service.fetch, env: { LATCHKEY_ADDR: service.baseUrl } })

async function ok(
  argv: readonly string[] | string,
  options: Parameters<typeof run>[1] = {},
): Promise<string> {
  const { code, stdout, stderr } = await run(argv, options)
  expect(code, stderr).toBe(EXIT.done)
  return stdout.trim()
}

async function field(line: string | readonly string[], name: string): Promise<string> {
  const argv = typeof line === 'string' ? line.split(' ') : line
  return JSON.parse(await ok([...argv, '-o', 'json']))[name]
}

test('from a new server to a token that is corrected and revoked', async () => {
  expect(await run('token list')).toMatchObject({ code: EXIT.denied })
  expect(await ok('bootstrap')).toContain('<hidden>')
  await ok(['policy', 'create', 'orders', '--rule', 'key_prefix "orders/" { policy = "read" }'])
  await ok('role create shop --policy orders')
  const created = ['token', 'create', '--role', 'shop', '--description', 'shop web', '--ttl', '8h']
  const accessor = await field(created, 'AccessorID')
  const secret = await field(`token read ${accessor} --show-secret`, 'SecretID')
  const asShop = { env: { LATCHKEY_TOKEN: secret } }

  const refusal = await run('kv put orders/1 open', asShop)
  expect(refusal.code).toBe(EXIT.denied)
  expect(refusal.stderr).toContain('needs key:write "orders/1"')
  expect(refusal.stderr).toContain('role shop → policy orders (line 1: key_prefix "orders/" is "read")')
  expect(refusal.stderr).toContain(
    'Rule to add to a policy of the token: key "orders/1" { policy = "write" }',
  )
  expect(await run(`can write key orders/1 --accessor ${accessor}`)).toMatchObject({ code: EXIT.denied })

  const [denied, intention] = [
    `can write key orders/ --accessor ${accessor}`,
    `can read intention web --accessor ${accessor}`,
  ]
  const denying = ['--rule', 'key "orders/" { policy = "deny" }']
  await ok(['policy', 'update', 'orders', ...denying, '--rule', 'key_prefix "orders/" { policy = "read" }'])
  expect((await run(denied)).stderr).toBe('To allow it, change the rule that denies it: policy = "write"\n')
  expect((await run(intention)).stderr).toContain(': service "web" { policy = "read" }\n')

  const rule = ['--rule', 'key_prefix "orders/" { policy = "write" }']
  const forecast = await run(['what-if', 'orders', ...rule])
  expect(forecast).toMatchObject({ code: EXIT.differs })
  expect(forecast.stdout).toContain('(shop web)\n')
  expect(forecast.stdout).toContain('+ key:write "orders/"')
  await ok(['policy', 'update', 'orders', ...rule])
  await ok('kv put orders/1 open', asShop)
  expect(await ok('kv get orders/1', asShop)).toBe('open')

  expect(await run(`token delete ${accessor}`)).toMatchObject({ code: EXIT.usage })
  await ok(`token delete ${accessor} --yes`)
  expect(await run('kv get orders/1', asShop)).toMatchObject({ code: EXIT.denied })
})

test('errors say what was meant, and what to do instead', async () => {
  const again = await run('bootstrap')
  expect(again).toMatchObject({ code: EXIT.denied })
  expect(again.stderr).toContain('acl-bootstrap-reset')
  const mistyped = await run('token create --policy ordrs')
  expect(mistyped).toMatchObject({ code: EXIT.invalid })
  expect(mistyped.stderr).toContain('Did you mean orders?')
  const absent = await run('kv get orders/none')
  expect(absent).toMatchObject({ code: EXIT.notFound })
  expect(absent.stderr).toContain('there is no key "orders/none"\n  To list keys: latchkey kv list orders/')
})

test('policy edit makes and changes a policy with an editor, and refuses rules with faults', async () => {
  const folder = temporaryFolder()
  /** An editor that writes these rules. */
  const typing = (rules: string) => {
    writeFileSync(join(folder, 'typed'), rules)
    return { env: { EDITOR: `cp ${join(folder, 'typed')}` } }
  }
  await ok('policy edit edited', typing('acl = "read"'))
  expect(await field('policy read edited', 'Rules')).toBe('acl = "read"')
  await ok('policy edit edited', typing('acl = "write"'))
  const faulty = await run('policy edit edited', typing('acl = "wrte"'))
  expect(faulty).toMatchObject({ code: EXIT.invalid })
  expect(faulty.stderr).toContain('acl = "wrte"\n        ^')
  const unseen = await run('policy edit edited')
  expect(unseen).toMatchObject({ code: EXIT.usage })
  expect(unseen.stderr).toContain('there is no terminal for an editor')
  expect(await field('policy read edited', 'Rules')).toBe('acl = "write"')
})

test('policy edit: the name that a server gives the policy is no path', async () => {
  const escaped = join(temporaryFolder(), 'escaped')
  const policy = { ID: '8d5faa9a-0c7b-4b36-9f3b-1a2b3c4d5e6f', Rules: 'acl = "read"', Description: '' }
  const Name = `../../../../../..${escaped}`
  const fetch = async () => Response.json({ ...policy, Name, Hash: '', CreateIndex: 1, ModifyIndex: 1 })
  await run('policy edit orders', { fetch, env: { EDITOR: 'true' } })
  expect(existsSync(`${escaped}.hcl`)).toBe(false)
})

test('--rules takes a file, @file, standard input or the rules themselves', async () => {
  const file = join(temporaryFolder(), 'rules.hcl')
  writeFileSync(file, 'acl = "read"')
  for (const [i, rules] of [file, `@${file}`, '-', 'acl = "read"'].entries()) {
    await ok(['policy', 'create', `given-${i}`, '--rules', rules], { stdin: 'acl = "read"' })
    expect(await field(`policy read given-${i}`, 'Rules')).toBe('acl = "read"')
  }
})

test('a server without ACLs: 6, and the hint names the setting', async () => {
  const { fetch, baseUrl } = createMockService({ aclEnabled: false })
  const { code, stderr } = await commandLine({ fetch, env: { LATCHKEY_ADDR: baseUrl } })('token list')
  expect(stderr).toContain('LATCHKEY_ACL_ENABLED=off')
  expect(code).toBe(EXIT.invalid)
})
