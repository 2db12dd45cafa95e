import { fetchDump, openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import type { Finding } from '../../findings/finding.ts'
import { formatPlan } from '../../output/plan-text.ts'
import { makePlan, type PlanResult } from '../../plan/plan.ts'
import { newestOf } from '../../plan/steps.ts'
import { readScenario } from '../../scenario/read.ts'
import type { ModelName, Scenario } from '../../scenario/scenario.ts'
import { checkTraffic, TrafficCheck } from '../../traffic/check-traffic.ts'
import { findTraffic } from '../../traffic/traffic-findings.ts'
import { abortable } from '../abortable.ts'
import type { AddCommand } from '../add-command.ts'
import { countTokens, loadScenario, loadToken, numberOption } from '../inputs.ts'
import { type Io, painterFor, write } from '../io.ts'
import { writeOutputFile } from '../output-file.ts'
import { modelOption } from './simulate.ts'

interface Options {
  readonly scenario?: string
  readonly from?: string
  readonly tokenFile?: string
  readonly traffic?: string
  readonly model?: ModelName
  readonly examples: number
  readonly json?: true
  readonly out?: string
}

/** Default scenario: one datacenter, from the last version before the new ACL system to the first with it. */
const SCENARIO_DEFAULT = 'name: three servers from 1.3.1 to 1.4.0\ndatacenters: [{ name: dc1, servers: 3 }]\n'

export const addPlan: AddCommand = (program, io, done) => {
  program
    .command('plan')
    .description(
      'Looks at a dump of legacy tokens and a scenario: counts, durations, order of steps, blockers.',
    )
    .argument('[dump]', 'JSON list of legacy tokens, or one object per line; - for standard input')
    .option('--scenario <file>', 'scenario in YAML, - for standard input, or builtin:name')
    .option('--from <url>', 'take the tokens from a running legacy server')
    .option('--token-file <file>', 'management token for --from (else $LATCHKEY_TOKEN)')
    .option('--traffic <log>', 'access log of the clients: calls that the newest version breaks are blockers')
    .option('--model <model>', 'service or latchkey', modelOption)
    .option('--examples <n>', 'tokens to list for each finding', numberOption, 20)
    .option('--json', 'one JSON document')
    .option('--out <file>', 'write to a file')
    .addHelpText(
      'after',
      `
Tokens are named by their place in the dump, never by their secret. Ends with 3 where a blocker is found.

Examples:
  $ latchkey-migrator plan legacy-tokens.json --scenario cluster.yaml
  $ latchkey-migrator plan legacy-tokens.json --scenario cluster.yaml --traffic access.log
  $ latchkey-migrator plan --from http://127.0.0.1:8500 --token-file management-token
  $ latchkey-migrator plan - --json < legacy-tokens.json`,
    )
    .action(async (dump: string | undefined, options: Options) => {
      const result = await plan(dump, options, io)
      const text = options.json ? `${JSON.stringify(result)}\n` : formatPlan(result, painterFor(io))
      if (options.out === undefined) await write(io.stdout, text)
      else writeOutputFile(options.out, text)
      done(result.verdict === 'no-go' ? EXIT.blockers : EXIT.done)
    })
}

async function plan(dump: string | undefined, options: Options, io: Io): Promise<PlanResult> {
  if (dump !== undefined && options.from !== undefined) {
    throw new InputError('give either a dump or --from, not both')
  }
  if (dump === '-' && options.scenario === '-') {
    throw new InputError('only one of dump and scenario can come from standard input')
  }
  const file =
    options.scenario === undefined
      ? readScenario(SCENARIO_DEFAULT, 'the default scenario')
      : await loadScenario(options.scenario, io)
  const scenario = { ...file, model: options.model ?? file.model }
  const source =
    options.from !== undefined
      ? await fetchDump(options.from, await loadToken(options.tokenFile, io), io.signal)
      : dump === undefined
        ? undefined
        : await openDump(dump, io.stdin)
  const traffic = await readTraffic(scenario, options, io)
  if (source === undefined) {
    if (options.scenario === undefined) throw new InputError('give a dump, --from, or a scenario with tokens')
    return makePlan(scenario, undefined, traffic)
  }
  const widening = scenario.model === 'latchkey' ? 'comment-out' : 'keep'
  return makePlan(scenario, await countTokens(source, { widening, placesMax: options.examples }, io), traffic)
}

async function readTraffic(scenario: Scenario, { traffic }: Options, io: Io): Promise<readonly Finding[]> {
  if (traffic === undefined) return []
  const source = await openDump(traffic, io.stdin)
  const check = new TrafficCheck(newestOf(scenario))
  await checkTraffic(abortable(source.chunks, io.signal), check)
  return findTraffic(check.result())
}
