import { PRODUCT_VERSION } from '@latchkey/contract'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runCli } from './program.ts'

const printed = { stdout: '', stderr: '' }
beforeEach(() => {
  for (const stream of ['stdout', 'stderr'] as const) {
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      printed[stream] += String(text)
      return true
    })
  }
})
afterEach(() => {
  Object.assign(printed, { stdout: '', stderr: '' })
})

/** Settings with which no command can start. */
const UNUSABLE = { LATCHKEY_EDITION: 'x' }

test.each([
  '--help',
  '-h',
  'help',
  'serve --help',
  'postgres -h',
  'check-config --help',
  'help import',
  'export --help',
  'replication --help',
  'replication promote --help',
])('latchkey-server %s prints help and starts nothing: 0', async (line) => {
  expect(await runCli(line.split(' '), UNUSABLE)).toBe(0)
  expect(printed.stdout).toMatch(/^Usage: latchkey-server/)
})

test('latchkey-server help with the words of a command prints the help of this command: 0', async () => {
  expect(await runCli(['help', 'replication', 'promote'], UNUSABLE)).toBe(0)
  expect(printed.stdout).toMatch(/^Usage: latchkey-server replication promote/)
})

test.each(['--version', '-v', 'version'])('latchkey-server %s prints the version: 0', async (line) => {
  expect(await runCli([line], UNUSABLE)).toBe(0)
  expect(printed.stdout).toBe(`Latchkey ${PRODUCT_VERSION}\n`)
})

test.each([
  ['nonsense', "unknown command 'nonsense'"],
  ['serv', 'Did you mean serve?'],
  ['import', "missing required argument 'file'"],
  ['export file', "too many arguments for 'export'"],
  ['replication promote', "missing required argument 'datacenter'"],
  ['replication nonsense', "unknown command 'nonsense'"],
  ['--port 80', "unknown option '--port'"],
])('latchkey-server %s is refused: 2', async (line, message) => {
  expect(await runCli(line.split(' '), {})).toBe(2)
  expect(printed.stderr).toContain(message)
})
