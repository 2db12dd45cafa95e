/** Logins and contexts, against the mocks. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMockService } from '@latchkey/mocks'
import { beforeEach, expect, test } from 'vitest'
import { commandLine, temporaryFolder } from '../../test/run.ts'
import { EXIT } from '../frame/cli-error.ts'

const service = createMockService()
let folder = ''
let file = ''
let run = commandLine({})

beforeEach(() => {
  service.reset()
  folder = temporaryFolder()
  file = join(folder, 'contexts.json')
  run = commandLine({ fetch: service.fetch, env: { LATCHKEY_CONTEXT_FILE: file } })
})

const login = (...options: string[]) =>
  run(['login', service.baseUrl, ...options], { stdin: `${service.managementToken}\n` })

test('login keeps the token in a file of mode 0600, and later commands present it', async () => {
  const { code, stderr } = await login()
  expect(code).toBe(EXIT.done)
  expect(stderr).not.toContain(service.managementToken)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await run('policy list')).toMatchObject({ code: EXIT.done })
  expect((await run('whoami')).stdout).toContain('the context default')
})

test('login refuses an unknown secret, and keeps nothing', async () => {
  const unknown = { stdin: 'b1a2c3d4-0000-4000-8000-000000000000' }
  const { code, stderr } = await run(['login', service.baseUrl], unknown)
  expect(stderr).toContain('knows no token with this secret')
  expect(code).toBe(EXIT.denied)
  expect(() => statSync(file)).toThrow('ENOENT')
})

test('logout forgets the secret: the next command is anonymous', async () => {
  await login()
  expect(await run('logout')).toMatchObject({ code: EXIT.done })
  expect(readFileSync(file, 'utf8')).not.toContain(service.managementToken)
  expect(await run('policy list')).toMatchObject({ code: EXIT.denied })
})

test('the token of a context is not sent to another address', async () => {
  await login()
  const tokens: (string | null)[] = []
  await run('policy list --address http://elsewhere.example', {
    fetch: async (_, init) => {
      tokens.push(new Headers(init.headers).get('X-Service-Token'))
      return new Response('[]', { status: 200, headers: { 'Content-Type': 'application/json' } })
    },
  })
  expect(tokens).toEqual([null])
})

test('a file of contexts with a secret that others may read is refused: 64', async () => {
  await login()
  chmodSync(file, 0o644)
  const { code, stderr } = await run('policy list')
  expect(stderr).toContain('chmod 600')
  expect(code).toBe(EXIT.usage)
})

test('contexts are listed, chosen and deleted', async () => {
  await login()
  await login('--context', 'second')
  expect((await run('context list')).stdout).toMatch(/^\* +second/m)
  await run('context use default')
  expect((await run('context list')).stdout).toMatch(/^\* +default/m)
  expect(await run('context use third')).toMatchObject({ code: EXIT.notFound })
  expect(await run('context delete second --yes')).toMatchObject({ code: EXIT.done })
  expect((await run('context list')).stdout).not.toContain('second')
})

test('a login through an auth method is deleted by logout', async () => {
  await login()
  const config = join(folder, 'ci.yaml')
  writeFileSync(config, 'JWKSURL: https://ci.example/jwks.json\n')
  const bearer = join(folder, 'bearer')
  writeFileSync(bearer, service.identityProvider.issue({ sub: 'job-1' }))
  await run(`auth-method create ci --type jwt --ttl 15m --config ${config}`)
  await run('role create job')
  await run('binding-rule create --auth-method ci --bind-type role --bind-name job')
  const line = `login ${service.baseUrl} --context ci --method ci --bearer-file ${bearer}`
  const { code, stderr } = await run(line)
  expect(code, stderr).toBe(EXIT.done)
  expect((await run('whoami')).stdout).toMatch(/Roles +job/)
  const listed = () => run('token list --context default --auth-method ci --output ndjson')
  expect((await listed()).stdout).not.toBe('')
  expect(await run('logout')).toMatchObject({ code: EXIT.done })
  expect((await listed()).stdout).toBe('')
})
