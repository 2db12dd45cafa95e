/** Every command against a server whose answers are not those of this API. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Fetch } from '@latchkey/sdk'
import { chooseSeed, SeededRandom } from '@latchkey/testkit/random'
import { beforeEach, expect, test } from 'vitest'
import { COMMAND_GROUPS } from '../src/commands/groups.ts'
import { EXIT } from '../src/frame/cli-error.ts'
import { examplesOf, wordsOf } from '../src/frame/command-spec.ts'
import { commandLine, mockedLine, temporaryFolder } from './run.ts'

const ACCESSOR = '7d43cfa2-fd87-1f29-c593-c49fa584eabc'
const { service, client } = mockedLine()
const folder = temporaryFolder()
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}
mkdirSync(join(folder, 'records'))
file('records/a.yaml', 'kind: role\nName: shop\nDescription: x\nPolicies: [{ Name: orders-read }]\n')

/** Arguments for commands whose first example needs a file, a terminal or a record. */
const ARGUMENTS: Readonly<Record<string, string | undefined>> = {
  login: `${service.baseUrl} --context other --token-file ${file('secret', service.managementToken)}`,
  'auth-method create': `cd --type jwt --config ${file('ci.yaml', 'JWKSURL: https://ci.example\n')}`,
  'token read': ACCESSOR,
  'token clone': ACCESSOR,
  'token delete': ACCESSOR,
  'policy edit': 'orders-read',
  plan: `${join(folder, 'records')} --prune`,
  apply: `${join(folder, 'records')} --prune`,
  export: join(folder, 'exported'),
  backup: join(folder, 'archive'),
  restore: file('archive', 'x'),
  txn: file('txn.json', '[{ "KV": { "Verb": "get", "Key": "web/port" } }]'),
  lock: 'jobs/nightly -- true',
}
const LOCAL = /^(completion|__complete|lint|rules|context|schema)\b/
const COMMANDS = COMMAND_GROUPS.flatMap(({ commands }) => commands)
  .map((spec) => {
    const words = wordsOf(spec)
    const example = examplesOf(spec)[0].match(/'[^']*'|"[^"]*"|\S+/g) ?? []
    return (
      ARGUMENTS[words.join(' ')]?.split(' ').toSpliced(0, 0, ...words) ??
      example.map((word) => word.replace(/^(['"])(.*)\1$/, '$2'))
    )
  })
  .filter((line) => !LOCAL.test(line.join(' ')))

beforeEach(async () => {
  service.reset()
  await client.policies.create({ Name: 'orders-read', Rules: 'key_prefix "orders/" { policy = "read" }' })
  await client.roles.create({ Name: 'shop', Policies: [{ Name: 'orders-read' }] })
  await client.tokens.create({
    AccessorID: ACCESSOR,
    Roles: [{ Name: 'shop' }],
    ServiceIdentities: [{ ServiceName: 'web' }],
  })
  await client.authMethods.create({ Name: 'ci', Type: 'jwt', Config: { JWKSURL: 'https://ci.example' } })
  await client.kv.put('web/port', '8080')
})

/** Runs a command, and says what is wrong with its answer. */
async function problemOf(line: readonly string[], fetch: Fetch): Promise<string | undefined> {
  const run = commandLine({
    fetch,
    env: { LATCHKEY_ADDR: service.baseUrl, LATCHKEY_TOKEN: service.managementToken, EDITOR: 'true' },
  })
  const { code, stdout, stderr } = await run([...line, '--yes'], { signal: AbortSignal.timeout(3_000) })
  const isKnown = Object.values(EXIT).includes(code as 0)
  const isClear =
    code === EXIT.done || code === EXIT.differs || code === EXIT.interrupted || stdout + stderr !== ''
  if (isKnown && isClear && !/a bug in|\n {4}at |undefined|\[object/.test(stdout + stderr)) return undefined
  return `latchkey ${line.join(' ')}: ${code}\n${stdout}\n${stderr}`
}

const ENTRY = { Key: 'web/port', Value: '!', Flags: 0, LockIndex: 0 }
const SESSION = { ID: ACCESSOR, Name: 'x', Node: 'n', LockDelay: 0, Behavior: {}, TTL: '15s' }

const json =
  (text: string, type = 'application/json') =>
  async () =>
    new Response(text, { headers: { 'Content-Type': type, 'X-Service-Index': '7' } })

test.each([
  ...['null', '[]', '{}', '7', '1e400', '"x"', 'true', '[null]', '[7]', '["x"]', '[{}]', '[[]]', '{"a":1}'],
  ...['', '<html></html>', '{"Name":'],
])('an answer of %j is reported clearly, or means what it says', async (text) => {
  for (const line of COMMANDS) expect(await problemOf(line, json(text))).toBeUndefined()
})

test.each([
  ['a value that is no base64', 'kv get web/port', ENTRY],
  ['a value that is no base64', 'kv list --values', ENTRY],
  ['an object in place of one of a few texts', 'session list', SESSION],
])('so is %s: %s', async (_, line, record) => {
  const answer = json(JSON.stringify([{ ...record, CreateIndex: 1, ModifyIndex: 1 }]))
  expect(await problemOf(line.split(' '), answer)).toBeUndefined()
})

const NESTED = `${'['.repeat(200_000)}${']'.repeat(200_000)}`

test.each([
  ['one that nests deeply', `{"Name":"x","Config":${NESTED}}`, 'application/json'],
  ['a web page', '<html></html>', 'text/html'],
])('so is %s', async (_, text, type) => {
  for (const line of COMMANDS) expect(await problemOf(line, json(text, type))).toBeUndefined()
})

test('so is an answer in which one field has another type', async () => {
  const random = new SeededRandom(chooseSeed('odd answers'))
  const odd: readonly unknown[] = [null, 7, -1, 1e300, 'x', '\u001b[2J', true, [], {}, [null], [[]], { a: 1 }]
  const mutated = (value: unknown): unknown => {
    const fields = typeof value === 'object' && value !== null ? Object.keys(value) : []
    if (fields.length === 0 || random.chance(0.2)) return random.pick(odd)
    const field = random.pick(fields)
    const inside = mutated(Reflect.get(value as object, field))
    return Array.isArray(value)
      ? value.with(Number(field), inside)
      : { ...(value as object), [field]: inside }
  }
  const fetch: Fetch = async (url, init) => {
    const response = await service.fetch(url, init)
    if (!response.headers.get('Content-Type')?.startsWith('application/json')) return response
    return new Response(JSON.stringify(mutated(await response.json())), response)
  }
  for (let round = 0; round < 10; round++) {
    for (const line of COMMANDS) expect(await problemOf(line, fetch)).toBeUndefined()
  }
})
