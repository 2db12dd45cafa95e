/**
 * `pnpm proofs`: runs the proofs one after another, and reports all of them: on standard output, and as JSON. See {@link USAGE}.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { PRODUCT_VERSION } from '@latchkey/contract'
import { seedOfRun } from '@latchkey/testkit/random'
import { COMMANDS, type ProofCommand, ROOT, type Scale } from './proofs/proof-command.ts'
import { type Outcome, runProof } from './proofs/run-proof.ts'

const USAGE = `Runs the proofs of docs/reliability.md one after another, and prints one report.

  pnpm proofs [options]                  at a small scale, in about half an hour
  LATCHKEY_FULL=1 pnpm proofs            at full scale: most of a day, on a machine with nothing else to do

  --only COH-01,soak    guarantees by their ids, or proofs by their names (default: all)
  --scale small|full    default: full with LATCHKEY_FULL=1, else small
  --json FILE           where the report goes as JSON; logs go beside it (default .proofs/report.json)
  --list                print the proofs and end
  --help, --version     print this text, or the version of Latchkey

LATCHKEY_SEED repeats a run. Exit code 0 where nothing failed, 1 where something did, 2 where nothing could be run.
`

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
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
        version: { type: 'boolean', short: 'v', default: false },
      },
    }).values
  } catch (error) {
    return fail((error as Error).message)
  }
}

/** Proofs that were named, and all proofs of a named guarantee. */
function choose(words: readonly string[]): { proof: ProofCommand; only?: ReadonlySet<string> }[] {
  if (words.length === 0) return COMMANDS.map((proof) => ({ proof }))
  const only = new Set(words)
  const isKnown = (word: string) => COMMANDS.some(({ name, ids }) => name === word || ids.includes(word))
  const unknown = words.filter((word) => !isKnown(word))
  if (unknown.length > 0) fail(`no proof or guarantee is called ${unknown.join(', ')}`)
  return COMMANDS.flatMap((proof) => {
    if (only.has(proof.name)) return [{ proof }]
    return proof.ids.some((id) => only.has(id)) ? [{ proof, only }] : []
  })
}

function printList(): void {
  for (const { name, ids, unit, counts } of COMMANDS) {
    const scale = `${counts.small.toLocaleString('en')} or ${counts.full.toLocaleString('en')} ${unit}`
    process.stdout.write(
      `${name.padEnd(26)} ${scale}\n${' '.repeat(27)}${ids.join(' ') || 'no guarantee by name'}\n`,
    )
  }
}

function printReport(outcomes: readonly Outcome[]): void {
  for (const { name, ids, result, scale, count, unit, seed, seconds, replay, log, figures } of outcomes) {
    const what = `${count.toLocaleString('en')} ${unit}`
    process.stdout.write(
      `\n${result.padEnd(8)} ${name}: ${ids.join(' ')}\n` +
        `         ${scale}: ${what}; seed ${seed}; ${seconds.toFixed(1)} s\n         ${replay}\n` +
        (result === 'failed' ? `         log: ${log}\n` : '') +
        (result === 'skipped' && figures.reason !== undefined ? `         ${figures.reason}\n` : ''),
    )
  }
  const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length
  process.stdout.write(
    `\n${count('passed')} passed, ${count('measured')} measured, ${count('skipped')} skipped, ${count('failed')} failed\n`,
  )
}

const options = readOptions()
if (options.help) {
  process.stdout.write(USAGE)
} else if (options.version) {
  process.stdout.write(`Latchkey ${PRODUCT_VERSION}\n`)
} else if (options.list) {
  printList()
} else {
  if (options.scale !== 'small' && options.scale !== 'full') fail('--scale must be small or full')
  const scale: Scale = options.scale
  const seed = seedOfRun()
  const chosen = choose(options.only.split(',').filter((word) => word !== ''))
  const json = resolve(process.env.INIT_CWD ?? '.', options.json)
  mkdirSync(dirname(json), { recursive: true })
  const outcomes: Outcome[] = []
  for (const { proof, only } of chosen) {
    process.stderr.write(`${proof.name} …\n`)
    outcomes.push(await runProof(proof, { scale, seed, ...(only ? { only } : {}) }, dirname(json)))
    // After each: a run that is ended early leaves what it has.
    writeFileSync(json, `${JSON.stringify({ scale, seed, node: process.version, outcomes }, undefined, 2)}\n`)
  }
  printReport(outcomes)
  process.stdout.write(`${json}\n`)
  process.exitCode = outcomes.some(({ result }) => result === 'failed') ? 1 : 0
}
