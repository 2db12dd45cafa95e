import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { CLUSTER, fileWriter, SECRET, TOKENS } from '../../../test/files.ts'
import { run } from '../../../test/io.ts'

const directory = temporaryFolder('migrator-plan')
const file = fileWriter(directory)
const SCENARIO = file('cluster.yaml', CLUSTER)
const DUMP = file('dump.json', TOKENS)

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
  expect((await run(['plan', dump, '--fail-on', 'never'])).code).toBe(0)
  expect(stdout).toMatch(/an unnamed token \(ID hash [0-9a-f]{12}, token 0, line 1, byte 1\)/)
})

test('a truncated dump ends with 1 and its position, and leaves no output', async () => {
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

test('a compressed list ends with 1 and says what to do', async () => {
  const { code, stderr } = await run(['plan', file('dump.json.gz', gzipSync('[]'))])
  expect(code).toBe(1)
  expect(stderr).toContain('decompress it first')
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
  const other = file('other.log', 'call=/v1/acl/list by=GET\n')
  const format = ['--log-format', 'call=(?<path>\\S+) by=(?<method>\\S+)']
  const found = await run(['plan', '--scenario', scenario, '--traffic', other, ...format, '--json'])
  expect(JSON.parse(found.stdout).findings[0]).toMatchObject({ id: 'traffic-api.legacy', count: 1 })
  expect((await run(['plan', '--scenario', scenario, ...format])).code).toBe(2)
  // A cluster that is already upgraded loses nothing.
  const there = file('at-1.11.yaml', 'from: 1.11\nversion: 1.11\ndatacenters: [{ name: dc1, servers: 1 }]\n')
  expect((await run(['plan', '--scenario', there, '--traffic', log])).code).toBe(0)
})
