/** The proof runner, with proofs that take seconds. */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { childEnvironment } from '@latchkey/testkit/process/server-process'
import { temporaryFolder } from '@latchkey/testkit/process/temporary-folder'
import { describe, expect, test } from 'vitest'
import { COMMANDS, type ProofCommand } from '../scripts/proofs/proof-command.ts'
import { ROOT } from '../scripts/proofs/root.ts'
import { runProof } from '../scripts/proofs/run-proof.ts'

const RUNNER = join(import.meta.dirname, '../scripts/proofs.ts')
const folder = temporaryFolder('proofs')

async function proofs(args: readonly string[]) {
  const child = spawn(process.execPath, [RUNNER, ...args], { env: childEnvironment({}) })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  const [, stderr, [code]] = await ended
  return { stderr, code }
}

describe('pnpm proofs', () => {
  test.each([
    [['--only', 'DUR-01,no-such-proof'], 'no-such-proof'],
    [['--resume', '--json', join(folder, 'none.json')], 'none.json'],
    [['--scale', 'huge'], 'small or full'],
    [['--onyl', 'DUR-01'], '--onyl'],
  ])('%j: exit code 2, and says why', async (args, problem) => {
    const { code, stderr } = await proofs(args)
    expect(code).toBe(2)
    expect(stderr).toContain(problem)
  })
})

describe('the outcome of a proof', () => {
  const proof = (kind: ProofCommand['kind'], ...args: readonly string[]): ProofCommand => ({
    name: 'example',
    ids: ['DUR-01'],
    unit: 'kills',
    counts: { small: 1, full: 2 },
    kind,
    run: () => ({ folder: 'apps/server', args, env: {} }),
  })
  const printing = (line: string, code = 0) => ['-e', `console.log('${line}'); process.exitCode = ${code}`]
  const VITEST = join(import.meta.dirname, '../../../node_modules/vitest/vitest.mjs')

  test.each<[string, string, ProofCommand]>([
    ['a verdict of pass', 'passed', proof('proof', ...printing('{"verdict":"pass","lost":0}'))],
    ['a verdict of fail', 'failed', proof('proof', ...printing('{"verdict":"fail","lost":1}', 1))],
    ['a verdict of skip', 'skipped', proof('proof', ...printing('{"verdict":"skip"}'))],
    ['a verdict of pass, and then a crash', 'failed', proof('proof', ...printing('{"verdict":"pass"}', 9))],
    ['no verdict', 'failed', proof('proof', ...printing('nothing'))],
    ['figures', 'measured', proof('figures', ...printing('42'), '--')],
    ['no figures', 'failed', proof('figures', ...printing('', 1), '--')],
    ['no test was run', 'failed', proof('test', VITEST, 'run', 'no-such-file.test.ts')],
  ])('%s: %s', async (_, result, command) => {
    const outcome = await runProof(command, { scale: 'small', seed: 1 }, folder)
    expect(outcome).toMatchObject({ result, count: 1, seed: 1 })
  })

  test('a killed proof has failed, and its processes are killed, too', async () => {
    const left = `require('child_process').spawn('sleep', ['600'], { stdio: 'inherit' })`
    const killed = proof('proof', '-e', `${left}; process.kill(process.pid, 'SIGKILL')`)
    const outcome = await runProof(killed, { scale: 'small', seed: 1 }, folder)
    expect(outcome).toMatchObject({ result: 'failed', figures: { killedBy: 'SIGKILL' } })
  })

  test('an interrupted proof ends, and is neither passed nor failed', async () => {
    const endless = proof('proof', '-e', 'setInterval(() => {}, 60_000)')
    const outcome = await runProof(endless, { scale: 'small', seed: 1 }, folder, AbortSignal.abort())
    expect(outcome).toMatchObject({ result: 'interrupted' })
  })

  test('every proof has a unique name, and its full count exceeds the small one', () => {
    expect(new Set(COMMANDS.map(({ name }) => name)).size).toBe(COMMANDS.length)
    for (const { counts } of COMMANDS) expect(counts.full).toBeGreaterThanOrEqual(counts.small)
  })

  test('every file that a proof runs exists', () => {
    const commands = COMMANDS.map((command) => command.run({ scale: 'small', seed: 1 }))
    const files = commands.flatMap(({ folder, args }) =>
      args.filter((arg) => /^[^-].*\.ts$/.test(arg)).map((file) => join(ROOT, folder, file)),
    )
    expect(files.length).toBeGreaterThan(20)
    expect(files.filter((file) => !existsSync(file))).toEqual([])
  })
})
