/** Scale, measured in separate processes. LATCHKEY_SCALE=full reads the whole million. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { expect, test } from 'vitest'

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))
const directory = temporaryFolder('migrator-scale')

/**
 * Runs the migrator with a heap limit in MB, above which it fails. Peak memory would be unreliable, because the garbage
 * collector runs later on a busy machine.
 *
 * @returns its processor time in seconds, which depends little on other load.
 */
async function measure(
  argv: readonly string[],
  heapMegabytes: number,
  feed?: (write: (text: string) => Promise<void>) => Promise<void>,
) {
  const probe =
    'process.on("exit",()=>process.stderr.write("\\nused="+JSON.stringify(process.resourceUsage())+"\\n"))'
  const child = spawn(process.execPath, [
    `--max-old-space-size=${heapMegabytes}`,
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
  // The exit code shows why it stopped reading.
  child.stdin.on('error', () => undefined)
  await feed?.(async (text) => {
    if (!child.stdin.write(text)) await Promise.race([once(child.stdin, 'drain'), ended])
  })
  child.stdin.end()
  const code = await ended
  const [, used = '{}'] = /^used=(.*)$/m.exec(stderr) ?? []
  const { userCPUTime, systemCPUTime } = JSON.parse(used)
  return { code, stdout, seconds: (userCPUTime + systemCPUTime) / 1_000_000 }
}

test('25,000 token events on 10,000,000 tokens simulate in seconds, not in minutes', async () => {
  const scenario = join(directory, 'events.yaml')
  const events = [
    '{ at: 10, kind: create-tokens, count: 2, every: 3, times: 8000 }',
    '{ at: 11, kind: edit-tokens, count: 3, offset: 5000, every: 3, times: 9000 }',
    '{ at: 12, kind: delete-tokens, count: 1, offset: 1000, every: 3, times: 8000 }',
  ]
  writeFileSync(
    scenario,
    `datacenters: [{ name: a, servers: 3 }, { name: b, servers: 3 }]\nlegacyTokens: 10000000\nevents: [${events}]\n`,
  )
  const { stdout, seconds } = await measure(['simulate', scenario, '--json'], 250)
  expect(JSON.parse(stdout).migration.a).toMatchObject({ remaining: 0 })
  expect(seconds).toBeLessThan(30)
}, 200_000)

/** The heap is less than the dump with its objects. */
const [TOKENS, HEAP_MEGABYTES] = process.env.LATCHKEY_SCALE === 'full' ? [1_000_000, 300] : [100_000, 100]

test(`plan reads a dump of ${TOKENS} tokens as a stream in under 20 s with a heap of ${HEAP_MEGABYTES} MB`, async () => {
  const { code, stdout, seconds } = await measure(['plan', '-', '--json'], HEAP_MEGABYTES, async (write) => {
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
}, 400_000)
