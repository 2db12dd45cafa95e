import { fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { listenOnFreePort } from '@latchkey/testkit/process/ports'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { run } from '../../test/io.ts'

const directory = temporaryFolder('migrator-cli')

function file(name: string, text: string | Uint8Array): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

const SECRET = 'canary-2e4d'
const SCENARIO = file('cluster.yaml', 'datacenters: [{ name: dc1, servers: 3 }]\nlegacyTokens: 300\n')
const DUMP = file(
  'dump.json',
  JSON.stringify([
    { ID: `${SECRET}-1`, Name: 'a', Type: 'client', Rules: 'key "a/" { policy = "read" }' },
    { ID: `${SECRET}-2`, Name: 'b', Type: 'management', Rules: '' },
  ]),
)

describe('help', () => {
  test('the program lists its commands and exit codes', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    for (const word of ['plan', 'simulate', 'check-traffic', 'changes', 'Exit codes', '130'])
      expect(stdout).toContain(word)
  })

  test.each(['plan', 'simulate', 'check-traffic', 'changes'])('%s --help has examples', async (command) => {
    const { code, stdout } = await run([command, '--help'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/Examples:\n {2}\$ latchkey-migrator /)
    expect(stdout).toContain('--json')
  })
})

describe('simulate', () => {
  test('--json is one document with the documented fields', async () => {
    const { code, stdout } = await run(['simulate', SCENARIO, '--json'])
    const result = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(Object.keys(result)).toEqual(
      expect.arrayContaining([
        'seed',
        'model',
        'verdict',
        'servers',
        'migration',
        'timeline',
        'clients',
        'findings',
      ]),
    )
    expect(result).toMatchObject({ seed: 1, model: 'service', verdict: 'go' })
    expect(result.servers['dc1-s1']).toMatchObject({ datacenter: 'dc1', newModeAt: 0.05 })
    expect(result.migration.dc1).toMatchObject({
      tokens: 300,
      batches: 3,
      firstBatchAt: 0.05,
      lastBatchAt: 2.05,
      sizes: [128, 128, 44],
    })
    const times = result.timeline.map(({ at }: { at: number }) => at)
    expect(times).toEqual([...times].sort((a: number, b: number) => a - b))
  })

  test('the same scenario and seed give the same bytes, and the replay command says how', async () => {
    const first = await run(['simulate', SCENARIO, '--seed', '7', '--json'])
    const { replay } = JSON.parse(first.stdout)
    expect(replay).toBe(`latchkey-migrator simulate ${SCENARIO} --model service --seed 7 --json`)
    expect((await run(replay.split(' ').slice(1))).stdout).toBe(first.stdout)
  })

  test('a no-go ends with 3', async () => {
    expect((await run(['simulate', 'builtin:hazard-acls-off'])).code).toBe(3)
  })

  test('a downgrade after completion is refused with 2, its line and spec 9.2.5, and nothing is written', async () => {
    const out = join(directory, 'refused.json')
    const { code, stdout, stderr } = await run([
      'simulate',
      'builtin:spec-9.2.5-no-downgrade',
      '--json',
      '--out',
      out,
    ])
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toMatch(
      /^error: builtin:spec-9\.2\.5-no-downgrade:\d+:\d+: impossible schedule: .*spec 9\.2\.5/,
    )
    expect(readdirSync(directory)).not.toContain('refused.json')
  })

  test('a scenario may come from standard input, tokens from a dump', async () => {
    const scenario = 'datacenters: [{ name: dc1, servers: 1 }]\n'
    const { stdout } = await run(['simulate', '-', '--dump', DUMP, '--json'], { stdin: scenario })
    expect(JSON.parse(stdout).migration.dc1).toMatchObject({ tokens: 2, batches: 1 })
    expect(stdout).not.toContain(SECRET)
  })

  test('--model latchkey runs the rules of our servers', async () => {
    const { stdout } = await run(['simulate', SCENARIO, '--model', 'latchkey', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      model: 'latchkey',
      migration: { dc1: { tokens: 300, batches: 3 } },
    })
  })

  test('--report writes three files, each whole', async () => {
    const report = join(directory, 'report')
    await run(['simulate', SCENARIO, '--report', report])
    expect(readdirSync(report).sort()).toEqual(['report.html', 'report.json', 'report.md'])
    expect(JSON.parse(readFileSync(join(report, 'report.json'), 'utf8')).verdict).toBe('go')
  })

  test('--list names the built-in scenarios', async () => {
    expect((await run(['simulate', '--list'])).stdout).toContain('builtin:spec-9.2.2-mode-ends\n')
  })

  test('--seeds holds random upgrades to the checkers; a planted bug fails and prints its replay', async () => {
    expect(await run(['simulate', '--seeds', '1-20'])).toMatchObject({ code: 0 })
    const { code, stdout } = await run(['simulate', '--seeds', '1-20', '--bug', 'hasty', '--json'])
    const { failed, failures } = JSON.parse(stdout)
    expect(code).toBe(1)
    expect(failed).toBeGreaterThan(0)
    const again = await run(failures[0].replay.split(' ').slice(1))
    expect(again).toMatchObject({ code: 1 })
  })

  test('an interrupted run of seeds ends with 4 and names the command that continues it', async () => {
    const { code, stderr } = await run(['simulate', '--seeds', '5-90'], { signal: AbortSignal.abort() })
    expect(code).toBe(4)
    expect(stderr).toContain('--seeds 5-90')
  })

  test('the scenario of a seed can be printed and simulated', async () => {
    const { stdout } = await run(['simulate', '--seeds', '3', '--print-scenario'])
    const { code } = await run(['simulate', '-', '--json'], { stdin: stdout })
    expect([0, 3]).toContain(code)
  })
})

describe('plan', () => {
  test('a dump from a file or standard input, as text and as JSON, without a secret', async () => {
    const text = await run(['plan', DUMP])
    expect(text).toMatchObject({ code: 0 })
    expect(text.stdout).toContain('2 legacy tokens: 1 client (1 with rules), 1 management')
    const json = await run(['plan', '-', '--json'], { stdin: readFileSync(DUMP, 'utf8') })
    expect(JSON.parse(json.stdout).tokens).toMatchObject({ total: 2 })
    expect(text.stdout + json.stdout).not.toContain(SECRET)
  })

  test('blockers end with 3', async () => {
    const dump = file('bad-rules.json', JSON.stringify([{ ID: SECRET, Type: 'client', Rules: 'key "a" {' }]))
    const { code, stdout } = await run(['plan', dump])
    expect(code).toBe(3)
    expect(stdout).toContain('token 0 (line 1, byte 1)')
  })

  test('a dump that is cut off ends with 1, its place, and leaves no output', async () => {
    const dump = file('cut.json', `[{"ID":"${SECRET}"},{"ID":`)
    const out = join(directory, 'plan.json')
    const { code, stderr } = await run(['plan', dump, '--json', '--out', out])
    expect(code).toBe(1)
    expect(stderr).toMatch(/cut\.json:1 \(byte \d+\): the dump is cut off inside token 1/)
    expect(stderr).not.toContain(SECRET)
    expect(
      readdirSync(directory).filter((name) => name.startsWith('plan.json') || name.endsWith('.tmp')),
    ).toEqual([])
  })

  test('--traffic makes calls that the newest version breaks blockers of the plan', async () => {
    const log = file(
      'traffic.log',
      '1.2.3.4 - - [21/Nov/2026:04:00:00 +0000] "GET /v1/acl/list HTTP/1.1" 200 12\n',
    )
    const scenario = file('to-1.11.yaml', 'version: 1.11\ndatacenters: [{ name: dc1, servers: 1 }]\n')
    const { code, stdout } = await run(['plan', '--scenario', scenario, '--traffic', log, '--json'])
    expect(code).toBe(3)
    expect(JSON.parse(stdout).findings[0]).toMatchObject({
      id: 'traffic-api.legacy',
      severity: 'critical',
      count: 1,
    })
    expect((await run(['plan', '--scenario', SCENARIO, '--traffic', log])).code).toBe(0)
  })

  test('--from asks a running legacy server, with a token that is never shown', async () => {
    const seen: (string | undefined)[] = []
    const server = createServer((request, response) => {
      seen.push(request.url, request.headers['x-service-token'] as string | undefined)
      response.end(readFileSync(DUMP))
    })
    const port = await listenOnFreePort(server)
    const answer = await run(['plan', '--from', `http://127.0.0.1:${port}`, '--json'], {
      env: { LATCHKEY_TOKEN: `${SECRET}-token` },
    })
    server.close()
    expect(answer.code).toBe(0)
    expect(seen).toEqual(['/v1/acl/list', `${SECRET}-token`])
    expect(JSON.parse(answer.stdout).tokens.total).toBe(2)
    expect(answer.stdout + answer.stderr).not.toContain(SECRET)
  })

  test('a server that does not answer ends with 1', async () => {
    const { code, stderr } = await run(['plan', '--from', 'http://127.0.0.1:1'])
    expect(code).toBe(1)
    expect(stderr).toContain('http://127.0.0.1:1/v1/acl/list: the server does not answer')
  })
})

describe('check-traffic and changes', () => {
  test('calls that break end with 3, none with 0', async () => {
    const log = file(
      'access.log',
      '1.2.3.4 - - [21/Nov/2026:04:00:00 +0000] "PUT /v1/acl/create HTTP/1.1" 200 12\n',
    )
    const { code, stdout } = await run(['check-traffic', log, '--to', '1.11'])
    expect(code).toBe(3)
    expect(stdout).toContain('instead: PUT /v1/acl/token')
    expect((await run(['check-traffic', log, '--to', '1.10'])).code).toBe(0)
  })

  test('a file without any access ends with 1', async () => {
    const { code, stderr } = await run(['check-traffic', SCENARIO, '--to', '1.11'])
    expect(code).toBe(1)
    expect(stderr).toContain('no access was found')
  })

  test('changes as text, Markdown and JSON', async () => {
    const base = ['changes', '--from', '1.3.0', '--to', '1.11']
    expect((await run(base)).stdout).toContain('From 1.3.0 to 1.11')
    expect((await run([...base, '--markdown'])).stdout).toMatch(/^# Changes from 1\.3\.0 to 1\.11\n/)
    expect(JSON.parse((await run([...base, '--json'])).stdout).changes.length).toBeGreaterThan(5)
  })
})

describe('usage errors end with 2', () => {
  test.each([
    [['simulate']],
    [['simulate', 'missing.yaml']],
    [['simulate', 'builtin:nothing']],
    [['simulate', SCENARIO, '--model', 'other']],
    [['simulate', SCENARIO, '--seed', 'x']],
    [['simulate', '--seeds', '9-1']],
    [['simulate', '--seeds', '1-2', '--bug', 'none']],
    [['plan']],
    [['plan', DUMP, '--from', 'http://127.0.0.1:1']],
    [['plan', '--from', 'ftp://x']],
    [['changes', '--from', '1.3.0']],
    [['changes', '--from', 'x', '--to', '1.11']],
    [['changes', '--from', '1.11', '--to', '1.3.0']],
    [['check-traffic', 'x.log']],
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

describe('output files', () => {
  test('a link is followed, so that the file behind it is replaced', async () => {
    const target = file('target.json', 'old')
    const link = join(directory, 'link.json')
    symlinkSync(target, link)
    await run(['simulate', SCENARIO, '--json', '--out', link])
    expect(JSON.parse(readFileSync(target, 'utf8')).verdict).toBe('go')
  })

  test('a file that cannot be written ends with 1', async () => {
    const { code, stderr } = await run([
      'simulate',
      SCENARIO,
      '--out',
      join(directory, 'no', 'such', 'place.json'),
    ])
    expect(code).toBe(1)
    expect(stderr).toContain('cannot write: ENOENT')
  })
})

/** Tells the parent process when the program begins to listen for Ctrl-C. */
const TELL_LISTENING = `data:text/javascript,process.on('newListener',(event)=>event==='SIGINT'&&process.send(event))`

/** Runs a command in a process of its own and interrupts it as soon as it listens for that. */
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

test('Ctrl-C ends a run of seeds with 4, and no process stays', async () => {
  const { code, stderr } = await interrupted(['simulate', '--seeds', '1-9999999'])
  expect(code).toBe(4)
  expect(stderr).toMatch(/continue with: latchkey-migrator simulate --model service --seeds \d+-9999999/)
}, 20_000)

test('Ctrl-C ends a plan that waits for its dump, with 130 and no process left', async () => {
  const { code, stderr } = await interrupted(['plan', '-'], '[{"ID":"a"},')
  expect(code).toBe(130)
  expect(stderr).toBe('interrupted\n')
}, 20_000)
