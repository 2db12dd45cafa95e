import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { CLUSTER, fileWriter, TOKENS } from '../../test/files.ts'
import { run } from '../../test/io.ts'

const file = fileWriter(temporaryFolder('migrator-cli'))
const SCENARIO = file('cluster.yaml', CLUSTER)
const DUMP = file('dump.json', TOKENS)

describe('help', () => {
  test('the program lists its commands and exit codes', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    for (const word of ['scan', 'plan', 'simulate', 'check-traffic', 'Exit codes', '130'])
      expect(stdout).toContain(word)
  })

  test.each(['scan', 'plan', 'simulate', 'check-traffic'])('%s --help has examples', async (command) => {
    const { code, stdout } = await run([command, '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/Examples:\n {2}\$ latchkey-migrator /)
    expect(stdout).toContain('--json')
  })
})

describe('usage errors end with 2', () => {
  test.each([
    [['simulate']],
    [['simulate', 'missing.yaml']],
    [['simulate', 'builtin:nothing']],
    [['simulate', SCENARIO, '--model', 'other']],
    [['simulate', SCENARIO, '--seed', 'x']],
    ...['24:00', '7', '10:60', '10:10:60', '1e1:00'].map((time) => [['simulate', SCENARIO, '--at', time]]),
    [['plan', DUMP, '--fail-on', 'x']],
    [['plan']],
    [['plan', DUMP, '--from', 'http://127.0.0.1:1']],
    [['plan', '--from', 'ftp://x']],
    [['check-traffic', 'x.log']],
    [['check-traffic', 'x.log', '--to', 'x']],
    [['check-traffic', 'x.log', '--from', '1.11', '--to', '1.3.0']],
    [['changes']],
    [['nothing']],
    [['simulate', SCENARIO, '--wrong']],
  ])('%j', async (argv) => {
    const { code, stderr } = await run(argv)
    expect(code).toBe(2)
    expect(stderr).toMatch(/error: /)
  })

  test('a scenario in another encoding', async () => {
    const path = file('utf16.yaml', Buffer.from('datacenters: {}', 'utf16le').swap16())
    const { code, stderr } = await run(['simulate', path])
    expect(code).toBe(2)
    expect(stderr).toMatch(/utf16\.yaml/)
  })
})

/** Tells the parent process when the program starts to listen for Ctrl-C. */
const TELL_LISTENING = `data:text/javascript,process.on('newListener',(event)=>event==='SIGINT'&&process.send(event))`

/** Runs a command in its own process and interrupts it as soon as it listens for Ctrl-C. */
async function interrupted(argv: readonly string[], stdin = ''): Promise<{ code: unknown; stderr: string }> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child = fork(main, argv, { execArgv: ['--import', TELL_LISTENING], silent: true })
  let stderr = ''
  child.stderr?.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const closed = once(child, 'close')
  child.stdin?.write(stdin)
  await once(child, 'message')
  child.kill('SIGINT')
  const [code] = await closed
  return { code, stderr }
}

test('Ctrl-C ends a plan that waits for its dump, with 130 and no process left', async () => {
  const { code, stderr } = await interrupted(['plan', '-'], '[{"ID":"a"},')
  expect(code).toBe(130)
  expect(stderr).toBe('interrupted\n')
})
