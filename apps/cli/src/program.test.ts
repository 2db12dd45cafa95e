import { PRODUCT_VERSION } from '@latchkey/contract'
import { expect, test } from 'vitest'
import { commandLine } from '../test/run.ts'
import { COMMAND_GROUPS } from './commands/groups.ts'
import { EXIT } from './frame/cli-error.ts'
import { examplesOf, wordsOf } from './frame/command-spec.ts'

/** An address at which no server answers: help must not need a server. */
const run = commandLine({ fetch: () => Promise.reject(new TypeError('no network in this test')) })

const COMMANDS = COMMAND_GROUPS.flatMap(({ commands }) => commands)

test('every command prints help with its example, without a server: 0', async () => {
  for (const spec of COMMANDS) {
    const { code, stdout } = await run([...wordsOf(spec), '--help'])
    expect(code, spec.usage).toBe(EXIT.done)
    expect(stdout, spec.usage).toContain(`$ latchkey ${examplesOf(spec)[0]}`)
    expect(stdout, `${spec.usage} shows Markdown`).not.toMatch(/\]\(/)
  }
})

test.each(['--help', '-h', 'help', 'help token', 'token --help'])('%s prints help: 0', async (line) => {
  const { code, stdout } = await run(line)
  expect(code).toBe(EXIT.done)
  expect(stdout).toMatch(/^Usage: latchkey/)
})

test('help with the words of a command, before or inside its group, prints the help of this command: 0', async () => {
  for (const spec of COMMANDS) {
    const words = wordsOf(spec)
    const { stdout } = await run([...words, '--help'])
    expect(await run(['help', ...words])).toMatchObject({ code: EXIT.done, stdout })
    if (words.length > 1) {
      const inside = [...words.slice(0, -1), 'help', ...words.slice(-1)]
      expect(await run(inside)).toMatchObject({ code: EXIT.done, stdout })
    }
  }
})

test('no command prints help, and --version the version: 0', async () => {
  expect(await run([])).toMatchObject({ code: EXIT.done, stderr: '' })
  expect((await run('--version')).stdout).toBe(`Latchkey ${PRODUCT_VERSION}\n`)
})

test.each([
  ['nonsense', "unknown command 'nonsense'"],
  ['tokn list', 'Did you mean token?'],
  ['policy read', "missing required argument 'policy'"],
  ['help nonsense', 'there is no command "nonsense"'],
  ['help token nonsense', 'there is no command "token nonsense"'],
  ['help context use production', 'there is no command "context use production"'],
  ['policy list extra', "too many arguments for 'list'"],
  ['policy list --colour', "unknown option '--colour'"],
  ['can read acl --token x', 'Did you mean --accessor <id>?'],
  ['can read acl --for=x', 'Did you mean --accessor <id>?'],
  ['policy list --token x', 'Did you mean --token-file <file>?'],
  ['policy list --json', 'Did you mean -o, --output <format>?'],
  ['policy list --output xml', 'Allowed choices are table, json, yaml, ndjson'],
  ['token list --limit many', '--limit takes a whole number, not "many"'],
  ['watch tokens web', 'watch tokens takes no name'],
  ['policy list --address nonsense', '"nonsense" is not an address'],
])('latchkey %s is refused and says why: 64', async (line, message) => {
  const { code, stderr, stdout } = await run(line)
  expect(stderr).toContain(message)
  expect(code).toBe(EXIT.usage)
  expect(stdout).toBe('')
})

test.each([
  [['policy', 'read', ''], 'Name must not be empty'],
  [['role', 'read', '..'], 'Name cannot hold the path step "." or ".."'],
  [['binding-rule', 'read', ''], 'ID must not be empty'],
  [['service', 'health', '.'], 'Service cannot hold the path step "." or ".."'],
  [['kv', 'get', ''], 'Key must not be empty'],
  [['kv', 'put', 'web/../port', '8080'], 'Key cannot hold the path step "." or ".."'],
  [['watch', 'keys', '..'], 'Key cannot hold the path step "." or ".."'],
])(
  'latchkey %j, an argument that no address can hold, is refused and says why: 64',
  async (line, message) => {
    const { code, stderr, stdout } = await run(line)
    expect(stderr).toBe(`error: ${message}\n`)
    expect(code).toBe(EXIT.usage)
    expect(stdout).toBe('')
  },
)

test('a server that cannot be reached: 7, with address and its origin', async () => {
  const { code, stderr } = await run('kv get web/port --address http://127.0.0.1:1', {
    fetch: () => Promise.reject(new TypeError('fetch failed')),
  })
  expect(stderr).toContain('no answer from http://127.0.0.1:1 (--address)')
  expect(code).toBe(EXIT.unavailable)
})
