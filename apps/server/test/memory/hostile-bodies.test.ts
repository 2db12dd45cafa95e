/** DOS-04: the memory that refused bodies really take: each runs in a process whose heap has room for no more. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { BODIES, type BodyName } from './bodies.ts'

/** Maximum memory for a body. */
const BODY_MIB = 10
const MIB = 1024 ** 2
const SCRIPT = join(import.meta.dirname, 'bodies.ts')

const execute = promisify(execFile)
/** A compile cache makes modules take less heap until they are used, so neither process has one. */
const env = { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' }
const run = (flags: readonly string[], ...args: readonly string[]) =>
  execute(process.execPath, [...flags, SCRIPT, ...args], { env })

let processMib: number
beforeAll(async () => {
  const { stdout } = await run(['--expose-gc'])
  processMib = Math.ceil(Number(stdout) / MIB)
})

async function codesOf(name: BodyName): Promise<readonly string[]> {
  const flags = [`--max-old-space-size=${processMib + BODY_MIB}`, '--max-semi-space-size=1']
  const { stdout } = await run(flags, name)
  return JSON.parse(stdout)
}

test.each(Object.keys(BODIES) as BodyName[])('DOS-04: %s: refused, within 10 MiB', async (name) => {
  const codes = await codesOf(name)
  expect(codes).not.toContain('accepted')
  for (const code of codes) expect(code).toMatch(/^(?:field_|body_malformed)/)
})
