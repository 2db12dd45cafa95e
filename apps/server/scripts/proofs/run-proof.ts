/** Runs one proof in a process of its own, and says what came of it. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { type Command, type ProofCommand, ROOT, type RunOptions, type Scale } from './proof-command.ts'

export interface Outcome {
  readonly name: string
  readonly ids: readonly string[]
  readonly scale: Scale
  readonly count: number
  readonly unit: string
  readonly seed: number
  readonly seconds: number
  /** `measured`: figures without a verdict. `skipped`: not possible on this machine. */
  readonly result: 'passed' | 'failed' | 'skipped' | 'measured'
  /** Counts and figures as the proof gives them. */
  readonly figures: Readonly<Record<string, unknown>>
  /** Repeats it, from the root of the workspace. */
  readonly replay: string
  readonly log: string
}

/** Longer than the longest of them, a soak of eight hours. */
const HOURS_MAX = 12

/** Variables that decide how much is run; each proof sets its own. */
const OURS = ['LATCHKEY_FULL', 'LATCHKEY_FUZZ', 'LATCHKEY_SCALE', 'LATCHKEY_SEED', 'LATCHKEY_SEEDS']

/** @param folder where the log goes. */
export async function runProof(proof: ProofCommand, options: RunOptions, folder: string): Promise<Outcome> {
  const { name, ids, unit, counts, kind } = proof
  const command = proof.run(options)
  const log = join(folder, `${name}.log`)
  const results = join(folder, `${name}.results.json`)
  rmSync(results, { force: true })
  const reporters =
    kind === 'test' ? ['--reporter=default', '--reporter=json', `--outputFile.json=${results}`] : []
  const startedAt = performance.now()
  const { code, output } = await run({ ...command, args: [...command.args, ...reporters] }, log)
  const seconds = Math.round(performance.now() - startedAt) / 1_000
  const { scale, seed } = options
  return {
    name,
    ids: options.only ? ids.filter((id) => options.only?.has(id)) : ids,
    scale,
    count: counts[scale],
    unit,
    seed,
    seconds,
    ...(kind === 'test'
      ? judgeTests(code, results)
      : kind === 'proof'
        ? judgeLine(code, output)
        : judgeExit(code)),
    replay: replayOf(command),
    log,
  }
}

type Judged = Pick<Outcome, 'result' | 'figures'>

/** A run in which no test ran proves nothing. */
function judgeTests(code: number, results: string): Judged {
  if (!existsSync(results)) return { result: 'failed', figures: { exitCode: code } }
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
  } = JSON.parse(readFileSync(results, 'utf8'))
  const result = code !== 0 || failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'skipped'
  return { result, figures: { passed, failed, skipped } }
}

const VERDICTS: Readonly<Record<string, Judged['result']>> = { pass: 'passed', skip: 'skipped' }

/** The last line that is JSON holds figures and verdict. */
function judgeLine(code: number, output: string): Judged {
  const line = output
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('{'))
  if (line === undefined) return { result: 'failed', figures: { exitCode: code } }
  const { verdict, name: _name, ids: _ids, seed: _seed, seconds: _seconds, ...figures } = JSON.parse(line)
  return { result: code === 0 ? (VERDICTS[verdict] ?? 'failed') : 'failed', figures }
}

function judgeExit(code: number): Judged {
  return { result: code === 0 ? 'measured' : 'failed', figures: {} }
}

async function run({ folder, args, env }: Command, log: string): Promise<{ code: number; output: string }> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.includes(name)))
  const child = spawn(process.execPath, args, {
    cwd: join(ROOT, folder),
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: HOURS_MAX * 3_600_000,
  })
  const file = createWriteStream(log)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    file.write(text)
    // Figures come last.
    output = (output + text).slice(-1_048_576)
  })
  child.stderr.on('data', (bytes: Buffer) => file.write(bytes))
  const [code] = await once(child, 'close')
  await finished(file.end())
  return { code: code ?? 1, output }
}

function replayOf({ folder, args, env }: Command): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = args[0]?.endsWith('vitest.mjs') ? ['npx', 'vitest', ...args.slice(1)] : ['node', ...args]
  const quoted = words.map((word) => (/^[\w./,=-]+$/.test(word) ? word : `'${word}'`))
  return `cd ${folder} && ${[...settings, ...quoted].join(' ')}`
}
