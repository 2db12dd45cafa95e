import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { CLUSTER, fileWriter, SECRET, TOKENS } from '../../../test/files.ts'
import { run } from '../../../test/io.ts'

const directory = temporaryFolder('migrator-simulate')
const file = fileWriter(directory)
const SCENARIO = file('cluster.yaml', CLUSTER)
const DUMP = file('dump.json', TOKENS)

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

test('--report writes two files, each whole', async () => {
  const report = join(directory, 'report')
  await run(['simulate', SCENARIO, '--report', report])
  expect(readdirSync(report).sort()).toEqual(['report.html', 'report.json'])
  expect(JSON.parse(readFileSync(join(report, 'report.json'), 'utf8')).verdict).toBe('go')
})

test('--list names the built-in scenarios', async () => {
  expect((await run(['simulate', '--list'])).stdout).toContain('builtin:spec-9.2.2-mode-ends\n')
})
