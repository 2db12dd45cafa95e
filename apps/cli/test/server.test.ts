/** The command line against a real server, which all tests of this file share. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import {
  childEnvironment,
  LISTENS,
  type ReadyCommand,
  startReady,
} from '@latchkey/testkit/process/server-process'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { CATALOG_COMMANDS } from '../src/commands/catalog.ts'
import { EXIT } from '../src/frame/cli-error.ts'
import { commandLine, type Outcome, temporaryFolder } from './run.ts'

const MANAGEMENT = '5f0c9e6a-9a0e-4d0a-8a53-6f1a5f6f8b10'
const MAIN = join(import.meta.dirname, '../src/main.ts')
const folder = temporaryFolder()
const secretFile = join(folder, 'secret')

let server: ReadyCommand
let run: ReturnType<typeof commandLine>
let env: Record<string, string> = {}

beforeAll(async () => {
  const settings = { LATCHKEY_LOG_LEVEL: 'error', LATCHKEY_DATA_DIR: join(folder, 'data') }
  server = await startReady([], { ...settings, LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT }, LISTENS)
  env = { LATCHKEY_ADDR: server.found, LATCHKEY_TOKEN: MANAGEMENT }
  run = commandLine({ env })
  writeFileSync(secretFile, MANAGEMENT)
})
afterAll(() => server?.stop())

async function ok(line: string): Promise<Outcome> {
  const outcome = await run(line)
  expect(outcome.code, outcome.stderr).toBe(EXIT.done)
  return outcome
}

test.each([
  ['20.20.2', 1],
  ['22.11.9', 1],
  ['22.12.0', 0],
  ['26.0.0', 0],
])('Node %s: only from 22.12 on does a command run, and an older one is told why', (version, code) => {
  const versions = `{ value: { ...process.versions, node: '${version}' } }`
  const pretend = `data:text/javascript,Object.defineProperty(process, 'versions', ${versions})`
  const { status, stderr } = spawnSync(process.execPath, ['--import', pretend, MAIN, '--version'])
  expect(status).toBe(code)
  expect(String(stderr)).toBe(code === 0 ? '' : `error: latchkey needs Node 22.12 or later, not ${version}\n`)
})

test('status shows the server, and a token shows no secret', async () => {
  expect((await ok('status')).stdout).toMatch(/Version +\d+\.\d/)
  const { stdout } = await ok('token read self --output json')
  expect(JSON.parse(stdout)).toMatchObject({ SecretID: '<hidden>' })
  const shown = await ok('token read self --output json --show-secret')
  expect(JSON.parse(shown.stdout)).toMatchObject({ SecretID: MANAGEMENT })
})

test('the example of service health shows the server', async () => {
  const [example = ''] =
    CATALOG_COMMANDS.commands.find(({ usage }) => usage.startsWith('service health'))?.examples ?? []
  expect(JSON.parse((await ok(`${example} -o json`)).stdout)).toHaveLength(1)
})

test('token list --limit and watch --count print at most so many: none for 0', async () => {
  const listed = async (limit: number) => JSON.parse((await ok(`token list --limit ${limit} -o json`)).stdout)
  expect([await listed(0), (await listed(1)).length]).toEqual([[], 1])
  expect((await ok('watch tokens --count 0')).stdout).toBe('')
})

test('watch prints each state as one document: a line of NDJSON even for a list, YAML with separators', async () => {
  const [state, ...more] = (await ok('watch policies --count 1 -o ndjson')).stdout.trimEnd().split('\n')
  expect(more).toEqual([])
  const names = JSON.parse(state ?? '').map(({ Name }: { readonly Name: string }) => Name)
  expect(names).toContain('global-management')
  expect(JSON.parse((await ok('watch policies --count 1 -o json')).stdout)).toHaveLength(names.length)
  const [document, ...others] = parseAllDocuments((await ok('watch policies --count 1 -o yaml')).stdout)
  expect(others).toEqual([])
  expect((await ok('watch policies --count 1 -o yaml')).stdout).toMatch(/^---\n/)
  expect(document?.toJS()).toHaveLength(names.length)
})

test('backup writes a file that only its owner reads, replaces none without --yes, and restore brings deleted keys back', async () => {
  const archive = join(folder, 'latchkey.archive')
  await ok('kv put web/port 8080')
  await ok(`backup ${archive}`)
  expect(statSync(archive).mode & 0o777).toBe(0o600)
  const { ino } = statSync(archive)
  expect(await run(`backup ${archive}`)).toMatchObject({ code: EXIT.usage })
  expect(statSync(archive).ino).toBe(ino)
  await ok(`backup ${archive} --yes`)
  await ok('kv delete web/port --yes')
  expect(await run(`restore ${archive}`)).toMatchObject({ code: EXIT.usage })
  expect(await run('kv get web/port')).toMatchObject({ code: EXIT.notFound })
  await ok(`restore ${archive} --yes`)
  expect((await ok('kv get web/port')).stdout).toBe('8080')
})

test('lock runs a command while it holds the key, and ends with its exit code', async () => {
  const held = await run([
    ...['lock', 'jobs/nightly', '--', process.execPath, MAIN],
    ...`lock jobs/nightly --no-wait --address ${server.found} --token-file ${secretFile} -- true`.split(' '),
  ])
  expect(held.code, held.stderr).toBe(EXIT.conflict)
  expect((await run(['lock', 'jobs/other', '--', process.execPath, '-e', 'process.exit(42)'])).code).toBe(42)
  const killed = await run(['lock', 'jobs/killed', '--', 'sh', '-c', 'kill -9 $$'])
  expect(killed.code, '128 and the number of SIGKILL').toBe(137)
  expect((await ok('session list')).stderr).toContain('No sessions')
})

function watching(key: string) {
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit']
  const argv = [MAIN, 'watch', 'key', key, '--output', 'ndjson']
  return spawn(process.execPath, argv, { env: childEnvironment(env), stdio })
}

test('watch exits with 0 when its reader closes the pipe', async () => {
  await ok('kv put jobs/read 0')
  const child = watching('jobs/read')
  const exit = once(child, 'exit')
  await once(child.stdout, 'data')
  child.stdout.destroy()
  await ok('kv put jobs/read 1')
  expect(await exit).toEqual([EXIT.done, null])
})

test('watch prints a line per state, and Ctrl-C ends it: 130', async () => {
  await ok('kv put jobs/last 1')
  const child = watching('jobs/last')
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const value = async () => atob(JSON.parse((await lines.next()).value ?? '{}').Value)
  expect(await value()).toBe('1')
  await ok('kv put jobs/last 2')
  expect(await value()).toBe('2')
  child.kill('SIGINT')
  expect(await once(child, 'exit')).toEqual([EXIT.interrupted, null])
})
