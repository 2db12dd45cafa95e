/** The complete benchmark of the server: see {@link USAGE} and README.md. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { PRODUCT_VERSION } from '@latchkey/contract'
import { ROWS } from './against/rows.ts'
import { runAgainst } from './against/run-against.ts'
import type { Figures } from './bench.ts'
import { CASES, type Case, type Context } from './cases.ts'
import { measureCommits } from './commits.ts'
import { measureLarge } from './large.ts'
import { GENERATOR } from './load.ts'
import { type BenchOptions, readOptions, USAGE } from './options.ts'
import { startBaseline, startServer } from './processes.ts'
import { printFigures } from './table.ts'
import { Tokens } from './tokens.ts'

const COMMITS = 'hand-made-groups'
const LARGE = { 'tokens-100000': 100_000, 'tokens-1000000': 1_000_000 } as const

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2))
  if (options.isVersion) {
    process.stdout.write(`Latchkey ${PRODUCT_VERSION}\n`)
    return
  }
  if (options.isHelp) {
    process.stdout.write(
      `${USAGE}\n${[...CASES.map(({ name }) => name), COMMITS, ...Object.keys(LARGE)].join('\n')}\n\nRows of --against:\n${ROWS.map(({ name }) => name).join('\n')}\n`,
    )
    return
  }
  const machine = { cpu: cpus()[0]?.model ?? '', cores: availableParallelism(), node: process.version }
  say(`${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, load by ${GENERATOR}`)
  if (GENERATOR !== 'wrk')
    say('wrk is not installed (Debian: apt-get install wrk); autocannon takes more of the machine')
  const { against } = options
  if (against) {
    const about = `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}`
    process.stdout.write(`\n${await runAgainst({ ...options, against }, { machine: about, say })}`)
    return
  }
  const figures: Figures = { loads: [], waiters: [], sizes: [], commits: [] }
  const isPicked = (name: string) =>
    options.only.length === 0
      ? name !== 'tokens-1000000'
      : options.only.some((part) => name === part || name.startsWith(`${part}-`))
  await runCases(
    CASES.filter(({ name }) => isPicked(name)),
    options,
    figures,
  )
  if (isPicked(COMMITS)) {
    say(COMMITS)
    figures.commits.push(...(await measureCommits(options.seconds)))
  }
  for (const [name, count] of Object.entries(LARGE)) {
    if (!isPicked(name) && !(options.isMillion && count === LARGE['tokens-1000000'])) continue
    say(name)
    figures.sizes.push(await measureLarge(name, count, options))
  }
  process.stdout.write(`\n${printFigures(figures)}`)
  const { seconds, rounds } = options
  writeFileSync(
    options.json,
    `${JSON.stringify({ machine, load: GENERATOR, seconds, rounds, ...figures }, undefined, 2)}\n`,
  )
}

async function runCases(cases: readonly Case[], options: BenchOptions, figures: Figures): Promise<void> {
  if (cases.length === 0) return
  const dataDir = mkdtempSync(join(tmpdir(), 'latchkey-bench-'))
  const [server, raw, express] = await Promise.all([
    startServer({ ...options, dataDir, accessLog: 'all' }),
    startBaseline('raw'),
    startBaseline('express'),
  ])
  try {
    const context: Context = {
      server,
      tokens: new Tokens(server),
      baselines: { raw, express },
      options,
      figures,
    }
    for (const measured of cases) {
      say(measured.name)
      await measured.run(context)
    }
  } finally {
    await Promise.all([server.stop(), raw.stop(), express.stop()])
    rmSync(dataDir, { recursive: true })
  }
}

/** Progress goes to standard error, because it is not a result. */
function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

await main()
