/** Runs one proof in its own process group, and returns the outcome. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { hasCode } from '../../src/has-code.ts'
import type { Command, ProofCommand, RunOptions, Scale } from './proof-command.ts'
import { ROOT } from './root.ts'

export interface Outcome {
  readonly name: string
  readonly ids: readonly string[]
  readonly scale: Scale
  readonly count: number
  readonly unit: string
  readonly seed: number
  readonly seconds: number
  /** `measured`: figures without a verdict. `skipped`: not possible on this machine. */
  readonly result: 'passed' | 'failed' | 'skipped' | 'measured' | 'interrupted'
  /** Counts and figures that the proof reports. */
  readonly figures: Readonly<Record<string, unknown>>
  /** A command that repeats the proof, from the root of the workspace. */
  readonly replay: string
  readonly log: string
}

/** Longer than the longest proof, an eight-hour soak. */
const HOURS_MAX = 12

/** Time for the processes of a proof to end on their own, in milliseconds. */
const END_MS_MAX = 15_000
const LOOK_INTERVAL_MS = 20

/** Variables that decide how much is run. Each proof sets its own. */
const OURS = ['LATCHKEY_FULL', 'LATCHKEY_FUZZ', 'LATCHKEY_SCALE', 'LATCHKEY_SEED', 'LATCHKEY_SEEDS']

/**
 * @param folder of the log.
 * @param interruption ends the proof and all of its processes.
 */
export async function runProof(
  proof: ProofCommand,
  options: RunOptions,
  folder: string,
  interruption?: AbortSignal,
): Promise<Outcome> {
  const { name, unit, counts, kind } = proof
  const command = proof.run(options)
  const log = join(folder, `${name}.log`)
  const results = join(folder, `${name}.results.json`)
  rmSync(results, { force: true })
  const startedAt = performance.now()
  const withResults = { ...command, args: [...command.args, ...RESULTS_TO[kind](results)] }
  const ended = await run(withResults, log, interruption)
  const seconds = Math.round(performance.now() - startedAt) / 1_000
  const { scale, seed } = options
  return {
    name,
    ids: idsOf(proof, options.only),
    scale,
    count: counts[scale],
    unit,
    seed,
    seconds,
    ...(interruption?.aborted ? { result: 'interrupted', figures: {} } : JUDGES[kind](ended, results)),
    replay: replayOf(command),
    log,
  }
}

/** The requested guarantees of a proof. */
export function idsOf({ ids }: ProofCommand, only: ReadonlySet<string> | undefined): readonly string[] {
  return only ? ids.filter((id) => only.has(id)) : ids
}

/** Arguments that write the results of a command to a file. */
const RESULTS_TO: Readonly<Record<ProofCommand['kind'], (file: string) => readonly string[]>> = {
  test: (file) => ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
  proof: () => [],
  figures: (file) => ['--json', file],
}

interface Ended {
  /** Null if a signal killed it. */
  readonly code: number | null
  readonly signal: string | null
  readonly output: string
}

type Judged = Pick<Outcome, 'result' | 'figures'>

const JUDGES: Readonly<Record<ProofCommand['kind'], (ended: Ended, results: string) => Judged>> = {
  test: judgeTests,
  proof: judgeLine,
  figures: (ended, results) =>
    ended.code === 0 ? { result: 'measured', figures: readResults(results) ?? {} } : withoutFigures(ended),
}

/** A run in which no test ran proves nothing. */
function judgeTests(ended: Ended, file: string): Judged {
  const results = readResults(file)
  if (!results) return withoutFigures(ended)
  const { numPassedTests: passed, numFailedTests: failed, numPendingTests: skipped } = results
  const result = ended.code !== 0 || failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'skipped'
  return { result, figures: { passed, failed, skipped } }
}

const VERDICTS: Readonly<Record<string, Judged['result']>> = { pass: 'passed', skip: 'skipped' }

/** The last line that is JSON contains figures and verdict. */
function judgeLine(ended: Ended): Judged {
  const line = ended.output
    .trimEnd()
    .split('\n')
    .findLast((text) => text.startsWith('{'))
  if (line === undefined) return withoutFigures(ended)
  const { verdict, name: _name, ids: _ids, seed: _seed, seconds: _seconds, ...figures } = JSON.parse(line)
  return { result: ended.code === 0 ? (VERDICTS[verdict] ?? 'failed') : 'failed', figures }
}

function withoutFigures({ code, signal }: Ended): Judged {
  return { result: 'failed', figures: signal === null ? { exitCode: code } : { killedBy: signal } }
}

function readResults(file: string) {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

async function run(
  { folder, args, env }: Command,
  log: string,
  interruption: AbortSignal | undefined,
): Promise<Ended> {
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OURS.includes(name)))
  const child = spawn(process.execPath, args, {
    cwd: join(ROOT, folder),
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group, so that nothing outlives the proof.
    detached: true,
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
  const closed = once(child, 'close')
  await Promise.race([once(child, 'exit'), abortOf(interruption)])
  await endGroup(child)
  const [code, signal] = await closed
  await finished(file.end())
  return { code, signal, output }
}

async function abortOf(signal: AbortSignal | undefined): Promise<void> {
  if (!signal?.aborted) await (signal ? once(signal, 'abort') : new Promise(() => {}))
}

/** Interrupts the remaining processes of a proof, as Ctrl-C does, and kills them if that is not enough. */
async function endGroup(child: ChildProcess): Promise<void> {
  const deadline = performance.now() + END_MS_MAX
  signalGroup(child, 'SIGINT')
  while (signalGroup(child, 0) && performance.now() < deadline) await delay(LOOK_INTERVAL_MS)
  signalGroup(child, 'SIGKILL')
}

/** @returns whether a process received it. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean {
  if (pid === undefined) return false
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    if (hasCode(error, 'ESRCH')) return false
    throw error
  }
}

function replayOf({ folder, args, env }: Command): string {
  const settings = Object.entries(env).map(([name, value]) => `${name}=${value}`)
  const words = args[0]?.endsWith('vitest.mjs') ? ['npx', 'vitest', ...args.slice(1)] : ['node', ...args]
  const quoted = words.map((word) => (/^[\w./,=-]+$/.test(word) ? word : `'${word}'`))
  return `cd ${folder} && ${[...settings, ...quoted].join(' ')}`
}
