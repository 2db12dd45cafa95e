/** Scale, measured in processes of their own. LATCHKEY_SCALE=full reads the whole million. */

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const directory = temporaryFolder('migrator-scale')

/** Runs the migrator: its seconds of processor time, whatever else the machine does, and its most memory, in MB. */
async function measure(
  argv: readonly string[],
  feed?: (write: (text: string) => Promise<void>) => Promise<void>,
) {
  const probe =
    'process.on("exit",()=>process.stderr.write("\\nused="+JSON.stringify(process.resourceUsage())+"\\n"))'
  const child = spawn(process.execPath, [
    '--import',
    `data:text/javascript,${encodeURIComponent(probe)}`,
    MAIN,
    ...argv,
  ])
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    stderr += String(chunk)
  })
  const ended = new Promise<number | null>((done) => child.on('close', (code) => done(code)))
  await feed?.(async (text) => {
    if (!child.stdin.write(text)) await new Promise((done) => child.stdin.once('drain', done))
  })
  child.stdin.end()
  const code = await ended
  const [, used = '{}'] = /^used=(.*)$/m.exec(stderr) ?? []
  const { userCPUTime, systemCPUTime, maxRSS } = JSON.parse(used)
  return { code, stdout, seconds: (userCPUTime + systemCPUTime) / 1_000_000, megabytes: maxRSS / 1_000 }
}

test('10,000,000 legacy tokens in 3 datacenters simulate in under 10 s and 500 MB', async () => {
  const scenario = join(directory, 'large.yaml')
  writeFileSync(
    scenario,
    'datacenters: [{ name: a, servers: 3 }, { name: b, servers: 3 }, { name: c, servers: 3 }]\nlegacyTokens: 10000000\n',
  )
  const { code, stdout, seconds, megabytes } = await measure(['simulate', scenario, '--json'])
  expect(code).toBe(0)
  expect(JSON.parse(stdout).migration.a).toMatchObject({
    tokens: 10_000_000,
    batches: 78_125,
    lastBatchAt: 78_124.05,
  })
  expect(seconds).toBeLessThan(10)
  expect(megabytes).toBeLessThan(500)
}, 200_000)

const TOKENS = process.env.LATCHKEY_SCALE === 'full' ? 1_000_000 : 100_000

test(`plan reads a dump of ${TOKENS} tokens as a stream in under 20 s and 300 MB`, async () => {
  const { code, stdout, seconds, megabytes } = await measure(['plan', '-', '--json'], async (write) => {
    await write('[')
    let text = ''
    for (let i = 0; i < TOKENS; i++) {
      const Rules = `key "apps/app-${i}/" {\n  policy = "write"\n}\nservice "app-${i}" {\n  policy = "read"\n}\n`
      const ID = `${(i * 2_654_435_761) >>> 0}-0000-4000-8000-${i}`
      text += `${i === 0 ? '' : ',\n'}${JSON.stringify({ CreateIndex: i, ModifyIndex: i, ID, Name: `app ${i}`, Type: 'client', Rules })}`
      if (text.length > 500_000) {
        await write(text)
        text = ''
      }
    }
    await write(`${text}]`)
  })
  expect(code).toBe(0)
  expect(JSON.parse(stdout).tokens).toMatchObject({ total: TOKENS, client: TOKENS })
  expect(seconds).toBeLessThan(20)
  expect(megabytes).toBeLessThan(300)
}, 400_000)
