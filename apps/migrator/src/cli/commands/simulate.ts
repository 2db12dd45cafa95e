import { shellQuote } from '../../convert/files/commands.ts'
import { EXIT, InputError } from '../../errors.ts'
import { runSimulation } from '../../output/result.ts'
import { reportOf, simulationDocument } from '../../output/simulation-document.ts'
import { findDump, withDump } from '../../plan/plan.ts'
import { builtinNames } from '../../scenario/builtin.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { command, writeAnswer } from '../command.ts'
import { countTokens, loadScenario, openInput } from '../inputs.ts'
import { type Io, write } from '../io.ts'
import { ANSWER, type OptionsOf } from '../options.ts'
import { hashed, hideSecrets, writeReport } from '../report.ts'

const PLACES_MAX = 20

const OPTIONS = ['model', 'seed', 'dump', 'report', 'at', 'list', ...ANSWER] as const
type Options = OptionsOf<(typeof OPTIONS)[number]>

export const addSimulate = command({
  name: 'simulate',
  about:
    'Simulates an upgrade under a virtual clock: when each server leaves legacy mode, what clients see, and what goes wrong.',
  argument: ['[scenario]', 'scenario in YAML, - for standard input, or builtin:name'],
  options: OPTIONS,
  notes: `The same scenario and seed give the same bytes. Exits with 3 if the verdict is no-go, with 1 if a checker finds a violated
rule of the upgrade.`,
  examples: [
    'simulate cluster.yaml',
    'simulate cluster.yaml --dump legacy-tokens.json --report report/ --at 22:00',
    'simulate builtin:spec-9.2.2-mode-ends --json',
  ],
  run: async (options, io, path) => {
    if (!options.list) return simulate(path, options, io)
    await write(
      io.stdout,
      builtinNames()
        .map((name) => `builtin:${name}\n`)
        .join(''),
    )
    return EXIT.done
  },
})

async function simulate(path: string, options: Options, io: Io) {
  if (path === '') throw new InputError('give a scenario, or --list')
  if (path === '-' && options.dump === '-') {
    throw new InputError('only one of scenario and dump can come from standard input')
  }
  const { scenario: file, text } = await loadScenario(path, io)
  const given: Scenario = { ...file, model: options.model ?? file.model, seed: options.seed ?? file.seed }
  const dump = options.dump === undefined ? undefined : await readTokens(options.dump, given, io)
  const simulation = runSimulation(dump?.scenario ?? given, {
    replay: replayOf(path, options, given),
    extraFindings: dump?.findings ?? [],
  })
  const { result } = simulation
  if (options.report !== undefined) {
    const scenarioText = hideSecrets(text, file)
    const report = reportOf(simulation, { scenarioText, dumpHash: dump?.hash, startsAt: options.at })
    const document = simulationDocument(simulation, report)
    writeReport(`${options.report}/report`, { document, json: { ...result, ...report }, scenarioText })
  }
  const answer = { findings: result.findings, document: simulationDocument(simulation), json: result }
  const code = await writeAnswer(answer, options, io)
  return result.violations.length > 0 ? EXIT.failed : code
}

async function readTokens(path: string, scenario: Scenario, io: Io) {
  const widening = scenario.model === 'latchkey' ? 'comment-out' : 'keep'
  const { source, hash } = hashed(await openInput(path, io))
  const census = await countTokens(source, { widening, placesMax: PLACES_MAX }, io)
  return { scenario: withDump(scenario, census), findings: findDump(scenario, census), hash: hash() }
}

function replayOf(path: string, { dump }: Options, { seed, model }: Scenario): string {
  const tokens = dump === undefined ? '' : ` --dump ${shellQuote(dump)}`
  return `latchkey-migrator simulate ${shellQuote(path)}${tokens} --model ${model} --seed ${seed} --json`
}
