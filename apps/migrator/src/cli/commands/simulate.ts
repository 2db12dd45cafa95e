import { PRODUCT_VERSION } from '@latchkey/contract'
import { InvalidArgumentError } from 'commander'
import { shellQuote } from '../../convert/files/commands.ts'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { runSimulation } from '../../output/run-simulation.ts'
import { formatSimulation } from '../../output/simulation-text.ts'
import { findDump, withDump } from '../../plan/dump-facts.ts'
import type { DumpFinding } from '../../plan/token-census.ts'
import { timeOfDayOption } from '../../report/clock.ts'
import { hashed, hideSecrets } from '../../report/inputs.ts'
import { factsOf, renderSimulation } from '../../report/simulation-page.ts'
import { builtinNames } from '../../scenario/builtin.ts'
import type { ModelName, Scenario } from '../../scenario/scenario.ts'
import { type AnswerOptions, addAnswerOptions, writeAnswer } from '../answer-options.ts'
import { countTokens, loadScenarioText, numberOption } from '../inputs.ts'
import { type AddCommand, type Io, painterFor, write } from '../io.ts'
import { writeReport } from '../output-file.ts'

/** Maximum number of tokens a finding names. */
const PLACES_MAX = 20

interface Options extends AnswerOptions {
  readonly model?: ModelName
  readonly seed?: number
  readonly dump?: string
  readonly list?: true
  readonly report?: string
  readonly at?: number
}

export const addSimulate: AddCommand = (program, io, done) => {
  addAnswerOptions(program.command('simulate'))
    .description(
      'Simulates an upgrade under a virtual clock: when each server leaves legacy mode, what clients see, and what goes wrong.',
    )
    .argument('[scenario]', 'scenario in YAML, - for standard input, or builtin:name')
    .option('--model <model>', 'service (the reference service, version by version) or latchkey', modelOption)
    .option('--seed <n>', 'seed of all random choices', numberOption)
    .option('--dump <file>', 'read the legacy tokens from a dump, - for standard input')
    .option('--report <directory>', 'write report.html and report.json there')
    .option('--at <time>', 'time of day at which the schedule starts, for the report', timeOfDayOption)
    .option('--list', 'list the built-in scenarios')
    .addHelpText(
      'after',
      `
The same scenario and seed give the same bytes. Exits with 3 if the verdict is no-go, with 1 if a checker finds a violated
rule of the upgrade.

Examples:
  $ latchkey-migrator simulate cluster.yaml
  $ latchkey-migrator simulate cluster.yaml --dump legacy-tokens.json --report report/ --at 22:00
  $ latchkey-migrator simulate builtin:spec-9.2.2-mode-ends --json`,
    )
    .action(async (path: string | undefined, options: Options) => {
      if (options.list) {
        await write(
          io.stdout,
          `${builtinNames()
            .map((name) => `builtin:${name}`)
            .join('\n')}\n`,
        )
      } else {
        if (path === undefined) throw new InputError('give a scenario, or --list')
        done(await simulateOne(path, options, io))
      }
    })
}

async function simulateOne(path: string, options: Options, io: Io) {
  if (path === '-' && options.dump === '-') {
    throw new InputError('only one of scenario and dump can come from standard input')
  }
  const { scenario: file, text } = await loadScenarioText(path, io)
  const given: Scenario = { ...file, model: options.model ?? file.model, seed: options.seed ?? file.seed }
  const { scenario, findings, dumpHash } = await readTokens(given, options, io)
  const simulation = runSimulation(scenario, {
    replay: replayOf(path, options, scenario),
    extraFindings: findings,
  })
  if (options.report !== undefined) {
    const inputs = { scenarioText: hideSecrets(text, file), dumpHash, startsAt: options.at }
    const facts = factsOf(simulation, inputs)
    const { summary, totals, steps } = facts
    const workloads = totals.map(({ answers, ...rest }) => ({
      ...rest,
      answers: answers.map(({ spans: _, ...answer }) => answer),
    }))
    writeReport(options.report, 'report', {
      html: renderSimulation(simulation, facts, inputs),
      json: { ...simulation.result, summary, workloads, steps, tool: PRODUCT_VERSION, ...inputs },
    })
  }
  const { result } = simulation
  const answer = {
    findings: result.findings,
    text: () => formatSimulation(simulation, painterFor(io)),
    json: () => result,
  }
  const code = await writeAnswer(answer, options, io)
  return result.violations.length > 0 ? EXIT.failed : code
}

async function readTokens(
  scenario: Scenario,
  { dump }: Options,
  io: Io,
): Promise<{ scenario: Scenario; findings: readonly DumpFinding[]; dumpHash?: string }> {
  if (dump === undefined) return { scenario, findings: [] }
  const widening = scenario.model === 'latchkey' ? 'comment-out' : 'keep'
  const { source, hash } = hashed(await openDump(dump, io.stdin))
  const census = await countTokens(source, { widening, placesMax: PLACES_MAX }, io)
  return {
    scenario: withDump(scenario, census),
    findings: findDump(scenario, census),
    dumpHash: hash(),
  }
}

/** The command that reproduces the same bytes. */
function replayOf(path: string, { dump }: Options, { seed, model }: Scenario): string {
  const tokens = dump === undefined ? '' : ` --dump ${shellQuote(dump)}`
  return `latchkey-migrator simulate ${shellQuote(path)}${tokens} --model ${model} --seed ${seed} --json`
}

export function modelOption(text: string): ModelName {
  if (text === 'service' || text === 'latchkey') return text
  throw new InvalidArgumentError('There are two models: service and latchkey.')
}
