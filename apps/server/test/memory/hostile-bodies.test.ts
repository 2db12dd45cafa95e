/** DOS-04: what bodies cost that are refused, in memory that is really taken: a heap with room for no more ends the process. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { BODIES, type BodyName } from './bodies.ts'

/** What a body may take. */
const BODY_MIB = 10
const MIB = 1024 ** 2
const SCRIPT = join(import.meta.dirname, 'bodies.ts')
const run = promisify(execFile)

let processMib: number
beforeAll(async () => {
  const { stdout } = await run(process.execPath, ['--expose-gc', SCRIPT])
  processMib = Math.ceil(Number(stdout) / MIB)
})

async function codesOf(name: BodyName): Promise<readonly string[]> {
  const flags = [`--max-old-space-size=${processMib + BODY_MIB}`, '--max-semi-space-size=1']
  const { stdout } = await run(process.execPath, [...flags, SCRIPT, name])
  return JSON.parse(stdout)
}

test.each(Object.keys(BODIES) as BodyName[])('DOS-04: %s: refused, within 10 MiB', async (name) => {
  const codes = await codesOf(name)
  expect(codes).not.toContain('accepted')
  for (const code of codes) expect(code).toMatch(/^(?:field_|body_malformed)/)
})
