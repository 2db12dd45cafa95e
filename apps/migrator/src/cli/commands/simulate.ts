import { InvalidArgumentError } from 'commander'
import { stringify } from 'yaml'
import { BUG_NAMES, type BugName } from '../../check/bugs.ts'
import { randomInput } from '../../check/random-scenario.ts'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { runSimulation, type Simulation } from '../../output/run-simulation.ts'
import { formatSimulation } from '../../output/simulation-text.ts'
import type { DumpFinding } from '../../plan/token-census.ts'
import { writeReport } from '../../report/report.ts'
import { builtinNames } from '../../scenario/builtin.ts'
import type { ModelName, Scenario } from '../../scenario/scenario.ts'
import type { AddCommand } from '../add-command.ts'
import { countTokens, loadScenario, numberOption, seedsOption } from '../inputs.ts'
import { type Io, painterFor, write } from '../io.ts'
import { writeOutputFile } from '../output-file.ts'
import { runSeeds } from './simulate-seeds.ts'

/** Maximum number of tokens a finding names. */
const PLACES_MAX = 20

interface Options {
  readonly model?: ModelName
  readonly seed?: number
  readonly dump?: string
  readonly seeds?: { readonly from: number; readonly to: number }
  readonly bug?: BugName
  readonly printScenario?: true
  readonly list?: true
  readonly json?: true
  readonly out?: string
  readonly report?: string
}

export const addSimulate: AddCommand = (program, io, done) => {
  program
    .command('simulate')
    .description(
      'Plays an upgrade under a virtual clock: who leaves legacy mode when, what clients see, what goes wrong.',
    )
    .argument('[scenario]', 'scenario in YAML, - for standard input, or builtin:name')
    .option('--model <model>', 'service (the reference service, version by version) or latchkey', modelOption)
    .option('--seed <n>', 'seed of everything random', numberOption)
    .option('--dump <file>', 'take the legacy tokens from a dump, - for standard input')
    .option('--json', 'one JSON document')
    .option('--out <file>', 'write to a file')
    .option('--report <directory>', 'write report.html, report.json and report.md there')
    .option('--list', 'list the built-in scenarios')
    .option(
      '--seeds <range>',
      'random scenarios, held to the checkers: a seed or a range such as 1-10000',
      seedsOption,
    )
    .option('--bug <name>', `plant a bug, which the checkers must find: ${BUG_NAMES.join(', ')}`, bugOption)
    .option('--print-scenario', 'with --seeds: print the scenario of the first seed')
    .addHelpText(
      'after',
      `
The same scenario and seed give the same bytes. Ends with 3 where the verdict is no-go, with 1 where a checker finds a
rule of the upgrade broken.

Examples:
  $ latchkey-migrator simulate cluster.yaml
  $ latchkey-migrator simulate cluster.yaml --dump legacy-tokens.json --report report/
  $ latchkey-migrator simulate builtin:spec-9.2.2-mode-ends --json
  $ latchkey-migrator simulate --seeds 1-10000
  $ latchkey-migrator simulate --seeds 1-500 --bug blind-write`,
    )
    .action(async (path: string | undefined, options: Options) => {
      if (options.list) {
        await write(
          io.stdout,
          `${builtinNames()
            .map((name) => `builtin:${name}`)
            .join('\n')}\n`,
        )
      } else if (options.seeds !== undefined) {
        if (options.printScenario) await write(io.stdout, stringify(randomInput(options.seeds.from)))
        else done(await runSeeds({ ...options, seeds: options.seeds }, io))
      } else {
        if (path === undefined) throw new InputError('give a scenario, or --seeds, or --list')
        done(await simulateOne(path, options, io))
      }
    })
}

async function simulateOne(path: string, options: Options, io: Io) {
  if (path === '-' && options.dump === '-') {
    throw new InputError('only one of scenario and dump can come from standard input')
  }
  const file = await loadScenario(path, io)
  const given: Scenario = { ...file, model: options.model ?? file.model, seed: options.seed ?? file.seed }
  const { scenario, findings } = await withDump(given, options, io)
  const simulation = runSimulation(scenario, {
    replay: replayOf(path, options, scenario),
    extraFindings: findings,
  })
  await writeResult(simulation, options, io)
  const { verdict, violations } = simulation.result
  if (violations.length > 0) return EXIT.failed
  return verdict === 'no-go' ? EXIT.blockers : EXIT.done
}

async function withDump(
  scenario: Scenario,
  { dump }: Options,
  io: Io,
): Promise<{ scenario: Scenario; findings: readonly DumpFinding[] }> {
  if (dump === undefined) return { scenario, findings: [] }
  const widening = scenario.model === 'latchkey' ? 'comment-out' : 'keep'
  const census = await countTokens(await openDump(dump, io.stdin), { widening, placesMax: PLACES_MAX }, io)
  return { scenario: { ...scenario, tokens: census.groups() }, findings: census.findings() }
}

async function writeResult(simulation: Simulation, options: Options, io: Io): Promise<void> {
  if (options.report !== undefined) writeReport(options.report, simulation)
  const text = options.json
    ? `${JSON.stringify(simulation.result)}\n`
    : formatSimulation(simulation, painterFor(io))
  if (options.out === undefined) await write(io.stdout, text)
  else writeOutputFile(options.out, text)
}

/** The command that reproduces the same bytes. */
function replayOf(path: string, { dump }: Options, { seed, model }: Scenario): string {
  const tokens = dump === undefined ? '' : ` --dump ${quote(dump)}`
  return `latchkey-migrator simulate ${quote(path)}${tokens} --model ${model} --seed ${seed} --json`
}

function quote(argument: string): string {
  return /^[\w./:@-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}

export function modelOption(text: string): ModelName {
  if (text === 'service' || text === 'latchkey') return text
  throw new InvalidArgumentError('There are two models: service and latchkey.')
}

function bugOption(text: string): BugName {
  const name = BUG_NAMES.find((each) => each === text)
  if (name === undefined) throw new InvalidArgumentError(`There are these bugs: ${BUG_NAMES.join(', ')}.`)
  return name
}
