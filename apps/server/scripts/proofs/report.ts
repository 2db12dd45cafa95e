/** The report of `pnpm proofs`. */
import { existsSync, readFileSync } from 'node:fs'
import type { Scale } from './proof-command.ts'
import type { Outcome } from './run-proof.ts'

export interface Report {
  readonly scale: Scale
  readonly seed: number
  /** Version of Node. */
  readonly node: string
  readonly outcomes: readonly Outcome[]
  /** Names of the proofs that an interrupted run did not reach. */
  readonly notRun: readonly string[]
}

/** Maximum length of printed figures: a proof may have lists of thousands. The JSON contains all of them. */
const FIGURES_LENGTH_MAX = 600

export function readReport(file: string): Report | undefined {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
}

export function printReport({ outcomes, notRun }: Report): string {
  const count = (wanted: Outcome['result']) => outcomes.filter(({ result }) => result === wanted).length
  const counts = [
    `${count('passed')} passed, ${count('measured')} measured, ${count('skipped')} skipped, ${count('failed')} failed`,
    ...(count('interrupted') > 0 ? [`${count('interrupted')} interrupted`] : []),
    ...(notRun.length > 0 ? [`${notRun.length} not run: ${notRun.join(' ')}`] : []),
  ]
  return `${outcomes.map(printOutcome).join('')}\n${counts.join(', ')}\n`
}

function printOutcome(outcome: Outcome): string {
  const { name, ids, result, scale, count, unit, seed, seconds, replay, log } = outcome
  const lines = [
    `${result.padEnd(INDENT - 1)} ${name}: ${ids.join(' ')}`,
    `${scale}: ${count.toLocaleString('en')} ${unit}; seed ${seed}; ${seconds.toFixed(1)} s`,
    printFigures(outcome),
    replay,
    ...(result === 'failed' ? [`log: ${log}`] : []),
  ]
  return `\n${lines.filter((line) => line !== '').join(`\n${' '.repeat(INDENT)}`)}\n`
}

/** As wide as the longest result. */
const INDENT = 12

function printFigures({ figures }: Outcome): string {
  const text = Object.entries(figures)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
  return text.length <= FIGURES_LENGTH_MAX ? text : `${text.slice(0, FIGURES_LENGTH_MAX)}…`
}
