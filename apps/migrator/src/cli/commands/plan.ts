import { InputError } from '../../errors.ts'
import type { Finding } from '../../findings/finding.ts'
import { planDocument } from '../../output/plan-document.ts'
import { clusterOf, defaultScenario, type KnownCluster } from '../../plan/default-scenario.ts'
import { makePlan, type PlanResult } from '../../plan/plan.ts'
import { newestOf, oldestOf } from '../../plan/steps.ts'
import type { CensusOptions, TokenCensus } from '../../plan/token-census.ts'
import { oldestVersion, readCluster } from '../../scan/read-cluster.ts'
import { readTokens as readTokensOf } from '../../scan/read-tokens.ts'
import type { Scenario } from '../../scenario/scenario.ts'
import { clockFrom } from '../../scenario/time.ts'
import { checkTraffic, findTraffic, TrafficCheck } from '../../traffic/check-traffic.ts'
import { command, writeAnswer } from '../command.ts'
import { CONNECTION_HELP, countScanned, countTokens, loadScenario, openInput, openReader } from '../inputs.ts'
import { type Io, write } from '../io.ts'
import { ANSWER, CONNECTION, type OptionsOf } from '../options.ts'

const OPTIONS = [
  'scenario',
  'to',
  'from',
  'traffic',
  'logFormat',
  'model',
  'at',
  'examples',
  ...ANSWER,
  ...CONNECTION,
] as const
type Options = OptionsOf<(typeof OPTIONS)[number]>

export const addPlan = command({
  name: 'plan',
  about: 'Analyses a dump of legacy tokens and a scenario: counts, durations, order of steps, blockers.',
  argument: [
    '[dump]',
    'snapshot archive of the legacy service, or JSON list of legacy tokens, or one object per line; - for standard input',
  ],
  options: OPTIONS,
  notes: `Tokens are identified by their position in the dump, never by their secret. Exits with 3 if it finds a blocker.
${CONNECTION_HELP}`,
  examples: [
    'plan legacy-tokens.json --scenario cluster.yaml --at 22:00',
    'plan backup.snap --to 1.11',
    'plan legacy-tokens.json --scenario cluster.yaml --traffic access.log',
    'plan --from http://127.0.0.1:8500 --token-file management-token',
    'plan - --json < legacy-tokens.json',
  ],
  run: async (options, io, dump) => {
    const json = await plan(dump, options, io)
    const document = planDocument(json, clockFrom(options.at))
    return writeAnswer({ findings: json.findings, document, json }, options, io)
  },
})

async function plan(dump: string, options: Options, io: Io): Promise<PlanResult> {
  if (dump !== '' && options.from !== undefined) {
    throw new InputError('give either a dump or --from, not both')
  }
  if (dump === '-' && options.scenario === '-') {
    throw new InputError('only one of dump and scenario can come from standard input')
  }
  const given =
    options.scenario === undefined ? undefined : (await loadScenario(options.scenario, io)).scenario
  const withModel = (file: Scenario): Scenario => ({ ...file, model: options.model ?? file.model })
  const to = options.to === undefined ? {} : { to: options.to }
  const widening = (options.model ?? given?.model) === 'latchkey' ? 'comment-out' : 'keep'
  const counting = { widening, placesMax: options.examples } as const
  if (options.from === undefined && dump === '') {
    if (given === undefined) throw new InputError('give a dump, --from, or a scenario with tokens')
    const scenario = withModel(given)
    return makePlan(scenario, undefined, { ...to, traffic: await readTraffic(scenario, options, io) })
  }
  const { census, cluster } =
    dump === '' ? await scanTokens(options, counting, io) : await readTokens(dump, counting, io)
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
  const census = await countTokens(await openInput(dump, io), counting, io)
  const { contents } = census
  return { census, cluster: contents === undefined ? undefined : clusterOf(contents) }
}

/** Reads the cluster and its tokens. A part of the cluster that cannot be read is reported and skipped. */
async function scanTokens(options: Options, counting: CensusOptions, io: Io): Promise<Known> {
  const reader = await openReader(options, io)
  const scanned = await readCluster(reader)
  const version = oldestVersion(scanned)
  const { census, end } = await countScanned(readTokensOf(reader, version), counting, io)
  for (const { what, path, why } of [...scanned.unread, ...end]) {
    await write(io.stderr, `could not read ${what} (${path}): ${why}\n`)
  }
  const servers = scanned.datacenters.map(({ name, members }) => {
    return [name, members.filter((each) => each.isServer).map((each) => each.name)] as const
  })
  return { census, cluster: { version, servers: new Map(servers) } }
}

async function readTraffic(
  scenario: Scenario,
  { traffic, to, logFormat: format }: Options,
  io: Io,
): Promise<readonly Finding[]> {
  if (traffic === undefined) {
    if (format !== undefined) throw new InputError('--log-format describes the log of --traffic')
    return []
  }
  const check = new TrafficCheck(to ?? newestOf(scenario), { from: oldestOf(scenario), format })
  await checkTraffic(await openInput(traffic, io), check)
  return findTraffic(check.result())
}
