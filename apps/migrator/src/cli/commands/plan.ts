import type { ServiceVersion } from '@latchkey/contract'
import { openDump } from '../../dump/source.ts'
import { InputError } from '../../errors.ts'
import type { Finding } from '../../findings/finding.ts'
import { formatPlan } from '../../output/plan-text.ts'
import { clusterOf, defaultScenario, type KnownCluster } from '../../plan/default-scenario.ts'
import { makePlan, type PlanResult } from '../../plan/plan.ts'
import { newestOf, oldestOf } from '../../plan/steps.ts'
import type { TokenCensus } from '../../plan/token-census.ts'
import { clockFrom, timeOfDayOption } from '../../report/clock.ts'
import type { ConnectionOptions } from '../../scan/connection.ts'
import { oldestVersion, readCluster } from '../../scan/read-cluster.ts'
import { partsOf, readTokens as readTokensOf } from '../../scan/read-tokens.ts'
import type { ModelName, Scenario } from '../../scenario/scenario.ts'
import { checkTraffic, TrafficCheck } from '../../traffic/check-traffic.ts'
import { findTraffic } from '../../traffic/traffic-findings.ts'
import { abortable } from '../abortable.ts'
import { type AnswerOptions, addAnswerOptions, writeAnswer } from '../answer-options.ts'
import { addConnectionOptions, CONNECTION_HELP, openReader } from '../connection-options.ts'
import {
  type CensusOptions,
  countScanned,
  countTokens,
  loadScenario,
  numberOption,
  versionOption,
} from '../inputs.ts'
import { type AddCommand, type Io, painterFor, write } from '../io.ts'
import { modelOption } from './simulate.ts'

interface Options extends AnswerOptions, ConnectionOptions {
  readonly scenario?: string
  readonly to?: ServiceVersion
  readonly traffic?: string
  readonly model?: ModelName
  readonly examples: number
  readonly at?: number
}

export const addPlan: AddCommand = (program, io, done) => {
  addConnectionOptions(addAnswerOptions(program.command('plan')))
    .description(
      'Analyses a dump of legacy tokens and a scenario: counts, durations, order of steps, blockers.',
    )
    .argument(
      '[dump]',
      'snapshot archive of the legacy service, or JSON list of legacy tokens, or one object per line; - for standard input',
    )
    .option('--scenario <file>', 'scenario in YAML, - for standard input, or builtin:name')
    .option(
      '--to <version>',
      'plan every stop up to this version, instead of the schedule of the scenario',
      versionOption,
    )
    .option('--from <url>', 'read cluster and tokens from a running server or agent')
    .option('--traffic <log>', 'access log of the clients: calls that the newest version breaks are blockers')
    .option('--model <model>', 'service or latchkey', modelOption)
    .option('--at <time>', 'time of day at which the schedule starts: steps then show it', timeOfDayOption)
    .option('--examples <n>', 'tokens to list for each finding', numberOption, 20)
    .addHelpText(
      'after',
      `
Tokens are identified by their position in the dump, never by their secret. Exits with 3 if it finds a blocker.
${CONNECTION_HELP}

Examples:
  $ latchkey-migrator plan legacy-tokens.json --scenario cluster.yaml --at 22:00
  $ latchkey-migrator plan backup.snap --to 1.11
  $ latchkey-migrator plan legacy-tokens.json --scenario cluster.yaml --traffic access.log
  $ latchkey-migrator plan --from http://127.0.0.1:8500 --token-file management-token
  $ latchkey-migrator plan - --json < legacy-tokens.json`,
    )
    .action(async (dump: string | undefined, options: Options) => {
      const result = await plan(dump, options, io)
      const answer = {
        findings: result.findings,
        text: () => formatPlan(result, painterFor(io), clockFrom(options.at)),
        json: () => result,
      }
      done(await writeAnswer(answer, options, io))
    })
}

async function plan(dump: string | undefined, options: Options, io: Io): Promise<PlanResult> {
  if (dump !== undefined && options.from !== undefined) {
    throw new InputError('give either a dump or --from, not both')
  }
  if (dump === '-' && options.scenario === '-') {
    throw new InputError('only one of dump and scenario can come from standard input')
  }
  const given = options.scenario === undefined ? undefined : await loadScenario(options.scenario, io)
  const withModel = (file: Scenario): Scenario => ({ ...file, model: options.model ?? file.model })
  const to = options.to === undefined ? {} : { to: options.to }
  const widening = (options.model ?? given?.model) === 'latchkey' ? 'comment-out' : 'keep'
  const counting = { widening, placesMax: options.examples } as const
  if (options.from === undefined && dump === undefined) {
    if (given === undefined) throw new InputError('give a dump, --from, or a scenario with tokens')
    const scenario = withModel(given)
    return makePlan(scenario, undefined, { ...to, traffic: await readTraffic(scenario, options, io) })
  }
  const { census, cluster } =
    dump === undefined ? await scanTokens(options, counting, io) : await readTokens(dump, counting, io)
  const scenario = withModel(given ?? defaultScenario(cluster, options.to))
  const traffic = await readTraffic(scenario, options, io)
  const isScheduled = given !== undefined || options.to !== undefined
  return makePlan(scenario, census, { ...to, isScheduled, traffic })
}

interface Known {
  readonly census: TokenCensus
  readonly cluster: KnownCluster | undefined
}

async function readTokens(dump: string, counting: CensusOptions, io: Io): Promise<Known> {
  const census = await countTokens(await openDump(dump, io.stdin), counting, io)
  const { contents } = census
  return { census, cluster: contents === undefined ? undefined : clusterOf(contents) }
}

/** Reads the cluster and its tokens. A part of the cluster that cannot be read is reported and skipped. */
async function scanTokens(options: Options, counting: CensusOptions, io: Io): Promise<Known> {
  const reader = await openReader(options, io)
  const scanned = await readCluster(reader)
  const version = oldestVersion(scanned)
  const { census, end } = await countScanned(readTokensOf(reader, version), counting, io)
  for (const { what, path, why } of [...scanned.unread, ...partsOf(end)]) {
    await write(io.stderr, `could not read ${what} (${path}): ${why}\n`)
  }
  const servers = scanned.datacenters.map(({ name, members }) => {
    return [name, members.filter((each) => each.isServer).map((each) => each.name)] as const
  })
  return { census, cluster: { version, servers: new Map(servers) } }
}

async function readTraffic(
  scenario: Scenario,
  { traffic, to }: Options,
  io: Io,
): Promise<readonly Finding[]> {
  if (traffic === undefined) return []
  const source = await openDump(traffic, io.stdin)
  const check = new TrafficCheck(to ?? newestOf(scenario), { from: oldestOf(scenario) })
  await checkTraffic(abortable(source.chunks, io.signal), check)
  return findTraffic(check.result())
}
