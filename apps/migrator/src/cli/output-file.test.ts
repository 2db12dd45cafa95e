import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'
import { CLUSTER, fileWriter } from '../../test/files.ts'
import { run } from '../../test/io.ts'

const directory = temporaryFolder('migrator-output-file')
const file = fileWriter(directory)
const SCENARIO = file('cluster.yaml', CLUSTER)

test('the target of a link is replaced, not the link', async () => {
  const target = file('target.json', 'old')
  const link = join(directory, 'link.json')
  symlinkSync(target, link)
  await run(['simulate', SCENARIO, '--json', '--out', link])
  expect(JSON.parse(readFileSync(target, 'utf8')).verdict).toBe('go')
})

test('a device or a pipe is written to, not replaced', async () => {
  const pipe = join(directory, 'pipe')
  execFileSync('mkfifo', [pipe])
  const reader = spawn('cat', [pipe])
  let text = ''
  reader.stdout.on('data', (chunk) => {
    text += String(chunk)
  })
  const closed = once(reader, 'close')
  expect(await run(['simulate', SCENARIO, '--json', '--out', pipe])).toMatchObject({ code: 0, stdout: '' })
  await closed
  expect(JSON.parse(text).verdict).toBe('go')
  expect(statSync(pipe).isFIFO()).toBe(true)
})

test('a full device ends with 1 and remains', async () => {
  const { code, stderr } = await run(['simulate', SCENARIO, '--json', '--out', '/dev/full'])
  expect([code, stderr]).toEqual([1, 'error: /dev/full: cannot write: ENOSPC (no space left on device)\n'])
  expect(statSync('/dev/full').isCharacterDevice()).toBe(true)
})

test('a disk that is full after a part leaves the old file, no half one, and ends with 1', () => {
  const folder = mkdtempSync(join(directory, 'full-'))
  const out = join(folder, 'out.json')
  writeFileSync(out, 'old')
  // A file size limit acts like a full disk: the last write before it is partial, and the next one fails.
  const script = `trap '' XFSZ; ulimit -f 4; exec "$0" "$1" simulate builtin:spec-9.2.3-accessor-migration --json --out "$2"`
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const child = spawnSync('bash', ['-c', script, process.execPath, main, out], { encoding: 'utf8' })
  expect([child.status, child.stderr]).toEqual([1, `error: ${out}: cannot write: EFBIG (file too large)\n`])
  expect(readdirSync(folder)).toEqual(['out.json'])
  expect(readFileSync(out, 'utf8')).toBe('old')
})

test('standard output that is full ends with 1 and one line', () => {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const script = '"$0" "$1" simulate --list > /dev/full'
  const child = spawnSync('bash', ['-c', script, process.execPath, main], { encoding: 'utf8' })
  expect([child.status, child.stderr]).toEqual([
    1,
    'error: cannot write the output: ENOSPC (no space left on device)\n',
  ])
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
