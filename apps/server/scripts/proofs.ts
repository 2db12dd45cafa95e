/**
 * `pnpm proofs`: runs the proofs one after another, and reports all of them on standard output and as JSON. See
 * {@link USAGE}.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PRODUCT_VERSION } from '@latchkey/contract'
import { seedOfRun } from '@latchkey/testkit/random'
import type { ProofCommand, Scale } from './proofs/proof-command.ts'
import { printReport, type Report, readReport } from './proofs/report.ts'
import { ROOT } from './proofs/root.ts'
import { idsOf, type Outcome, runProof } from './proofs/run-proof.ts'

const USAGE = `Runs the proofs of docs/reliability.md one after another, and prints one report.

  pnpm proofs [options]                  at a small scale, in about half an hour
  LATCHKEY_FULL=1 pnpm proofs            at full scale: most of a day, on a machine with nothing else to do

  --only COH-01,soak    guarantees by their ids, or proofs by their names (default: all)
  --scale small|full    default: full with LATCHKEY_FULL=1, else small
  --json FILE           where the report goes as JSON; logs go beside it (default .proofs/report.json)
  --resume              keep what the last run with this report passed or measured, and run the others
  --list                print the proofs and end
  --help, --version     print this text, or the version of Latchkey

LATCHKEY_SEED repeats a run. A proof that fails or is killed does not stop the others. Ctrl-C ends the current proof with
all of its processes, and prints the report. Exit code 0 if nothing failed, 1 if something did, 2 if nothing could be run,
130 after Ctrl-C.
`

const STOPPING = ['SIGINT', 'SIGTERM'] as const
type Stopping = (typeof STOPPING)[number]
/** A shell adds the signal number to this. */
const EXIT_OF_SIGNAL = 128

function fail(problem: string): never {
  process.stderr.write(`${problem}\n\n${USAGE}`)
  process.exit(2)
}

function readOptions() {
  try {
    const [word, ...more] = process.argv.slice(2)
    return parseArgs({
      args: word === 'help' && more.length === 0 ? ['--help'] : undefined,
      options: {
        only: { type: 'string', default: '' },
        scale: { type: 'string', default: process.env.LATCHKEY_FULL === '1' ? 'full' : 'small' },
        json: { type: 'string', default: join(ROOT, '.proofs/report.json') },
        resume: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
      },
    }).values
  } catch (error) {
    return fail((error as Error).message)
  }
}

/** All proofs. They load the server and all checkers, so they are loaded only when needed. */
async function loadProofs(): Promise<readonly ProofCommand[]> {
  return (await import('./proofs/proof-command.ts')).COMMANDS
}

/** The named proofs, and all proofs of the named guarantees. */
async function choose(
  words: readonly string[],
): Promise<{ proof: ProofCommand; only?: ReadonlySet<string> }[]> {
  const proofs = await loadProofs()
  if (words.length === 0) return proofs.map((proof) => ({ proof }))
  const only = new Set(words)
  const isKnown = (word: string) => proofs.some(({ name, ids }) => name === word || ids.includes(word))
  const unknown = words.filter((word) => !isKnown(word))
  if (unknown.length > 0) fail(`unknown proof or guarantee: ${unknown.join(', ')}`)
  return proofs.flatMap((proof) => {
    if (only.has(proof.name)) return [{ proof }]
    return proof.ids.some((id) => only.has(id)) ? [{ proof, only }] : []
  })
}

async function printList(): Promise<void> {
  for (const { name, ids, unit, counts } of await loadProofs()) {
    const scale = `${counts.small.toLocaleString('en')} or ${counts.full.toLocaleString('en')} ${unit}`
    process.stdout.write(
      `${name.padEnd(26)} ${scale}\n${' '.repeat(27)}${ids.join(' ') || 'no guarantee by name'}\n`,
    )
  }
}

const options = readOptions()
if (options.help) {
  process.stdout.write(USAGE)
} else if (options.version) {
  process.stdout.write(`Latchkey ${PRODUCT_VERSION}\n`)
} else if (options.list) {
  await printList()
} else {
  if (options.scale !== 'small' && options.scale !== 'full') fail('--scale must be small or full')
  process.exitCode = await runAll(options, options.scale)
}

async function runAll(
  { only: words, json: file, resume }: ReturnType<typeof readOptions>,
  scale: Scale,
): Promise<number> {
  const json = resolve(process.env.INIT_CWD ?? '.', file)
  const earlier = resume ? readEarlier(json, scale) : undefined
  const chosen = await choose(words.split(',').filter((word) => word !== ''))
  const seed = earlier?.seed ?? seedOfRun()
  mkdirSync(dirname(json), { recursive: true })
  const interruption = new AbortController()
  for (const signal of STOPPING) process.on(signal, () => interruption.abort(signal))
  const outcomes: Outcome[] = []
  const notRun: string[] = []
  const report: Report = { scale, seed, node: process.version, outcomes, notRun }
  for (const { proof, only } of chosen) {
    const kept = earlier?.outcomes.find((outcome) => isDone(outcome, proof.name, idsOf(proof, only)))
    if (kept) outcomes.push(kept)
    else if (interruption.signal.aborted) notRun.push(proof.name)
    else {
      process.stderr.write(`${proof.name} …\n`)
      const options = { scale, seed, ...(only ? { only } : {}) }
      outcomes.push(await runProof(proof, options, dirname(json), interruption.signal))
    }
    // Written after each proof, so that a killed run keeps its results.
    writeFileSync(json, `${JSON.stringify(report, undefined, 2)}\n`)
  }
  process.stdout.write(`${printReport(report)}${json}\n`)
  if (interruption.signal.aborted)
    return EXIT_OF_SIGNAL + constants.signals[interruption.signal.reason as Stopping]
  return outcomes.some(({ result }) => result === 'failed') ? 1 : 0
}

function readEarlier(json: string, scale: Scale): Report {
  const earlier = readReport(json)
  if (!earlier) return fail(`--resume: there is no report of an earlier run in ${json}`)
  if (earlier.scale !== scale)
    fail(`--resume: ${json} is of scale ${earlier.scale}, and this run of ${scale}`)
  return earlier
}

/** Whether an earlier outcome makes a run unnecessary. */
function isDone({ name, ids, result }: Outcome, wanted: string, wantedIds: readonly string[]): boolean {
  const isSame = name === wanted && ids.join() === wantedIds.join()
  return isSame && (result === 'passed' || result === 'measured')
}
