import { AccessorLookup } from '../../convert/accessors.ts'
import { planOf } from '../../convert/conversion.ts'
import { findConversion } from '../../convert/conversion-findings.ts'
import { writeConversion } from '../../convert/files/write-conversion.ts'
import { makeConversion } from '../../convert/make-conversion.ts'
import { proveConversion } from '../../convert/proof/prove-conversion.ts'
import { simulateUpgrade } from '../../convert/proof/simulate-upgrade.ts'
import { NO_DECISIONS, readDecisions } from '../../convert/review-decisions.ts'
import { migratedToken, TokenIntake } from '../../convert/token-intake.ts'
import { openDump } from '../../dump/source.ts'
import { EXIT, InputError } from '../../errors.ts'
import { type Finding, sortFindings, verdictOf } from '../../findings/finding.ts'
import { formatConversion } from '../../output/convert-text.ts'
import { TokenCensus } from '../../plan/token-census.ts'
import { readScenario } from '../../scenario/read.ts'
import { type AnswerOptions, addAnswerOptions, writeAnswer } from '../answer-options.ts'
import { loadScenario, numberOption, readRecords, readTextFile } from '../inputs.ts'
import { type AddCommand, type Io, painterFor } from '../io.ts'

interface Options extends Omit<AnswerOptions, 'out'> {
  readonly out?: string
  readonly names?: string
  readonly accessors?: string
  readonly scenario?: string
  readonly questions: number
  readonly seed: number
}

/** The servers of the simulated upgrade, unless a scenario gives others. */
const CLUSTER_DEFAULT = 'name: from 1.10 to 1.11\ndatacenters: [{ name: dc1, servers: 3 }]\n'
/** Maximum number of tokens that a finding names. */
const PLACES_MAX = 20

export const addConvert: AddCommand = (program, io, done) => {
  addAnswerOptions(program.command('convert'), {
    flags: '--out <folder>',
    description: 'write policies, plan.json, names.json and two scripts there',
  })
    .description(
      'Proposes policies and roles for legacy tokens, proves that no decision changes, and writes the commands.',
    )
    .argument(
      '<dump>',
      'list of legacy tokens, as JSON or one object per line, or a snapshot archive; - for standard input',
    )
    .option(
      '--names <file>',
      'names.json of an earlier run, with your names and the groups to leave as they are',
    )
    .option('--accessors <file>', 'answer of GET /v1/acl/tokens, to name tokens by their accessor')
    .option('--scenario <file>', 'servers and default policy for the simulated upgrade to 1.11')
    .option('--questions <n>', 'random questions for each rule text', numberOption, 100)
    .option('--seed <n>', 'seed of the random questions', numberOption, 1)
    .addHelpText(
      'after',
      `
Groups tokens whose rules decide equally, whatever their texts are, and proposes a policy for each group. Nothing is changed
in any cluster: review the policies, then run one of the scripts while the cluster runs 1.10.

No output has a secret: tokens are named by accessor, or by the hash of their ID. Exits with 1 if a decision would
change (nothing is written then), and with 3 if tokens cannot be converted or the simulated upgrade is a no-go.

Examples:
  $ latchkey-migrator convert legacy-tokens.json
  $ latchkey-migrator convert legacy-tokens.json --out conversion
  $ latchkey-migrator convert legacy-tokens.json --out conversion --names names.json --accessors tokens.json
  $ latchkey-migrator convert legacy-tokens.json --questions 1000 --json`,
    )
    .action(async (dump: string, options: Options) => done(await convert(dump, options, io)))
}

async function convert(dump: string, options: Options, io: Io) {
  const { out: folder, names, questions, seed, scenario, ...gate } = options
  if (dump === '-' && [options.accessors, scenario].includes('-')) {
    throw new InputError('only one input can come from standard input')
  }
  const decisions = names === undefined ? NO_DECISIONS : readDecisions(await readTextFile(names), names)
  const cluster =
    scenario === undefined
      ? readScenario(CLUSTER_DEFAULT, 'the default scenario')
      : await loadScenario(scenario, io)
  const census = new TokenCensus({ widening: 'comment-out', placesMax: PLACES_MAX })
  const intake = new TokenIntake(await readAccessors(options.accessors, io))
  await readRecords(await openDump(dump, io.stdin), io, (record) => {
    const token = census.add(record) ?? migratedToken(record.value)
    if (token !== undefined) intake.add(record, token)
  })
  const conversion = makeConversion(intake, decisions)
  const proof = proveConversion(conversion, { questions, seed })
  const upgrade = simulateUpgrade(conversion, cluster)
  const plan = planOf(conversion, { proof, upgrade, refused: census.counts().refused })
  const written = folder !== undefined && writeConversion(folder, plan) ? folder : undefined
  const findings = sortFindings([...findConversion(conversion, { proof, upgrade }), ...dumpFindings(census)])
  const answer = {
    findings,
    text: () =>
      formatConversion(plan, { verdict: verdictOf(findings), findings, folder: written }, painterFor(io)),
    json: () => plan,
  }
  const code = await writeAnswer(answer, gate, io)
  return proof.differenceCount === 0 ? code : EXIT.failed
}

/** The findings about the dump that matter for a conversion; `plan` reports those about the upgrade to 1.4.0. */
function dumpFindings(census: TokenCensus): readonly Finding[] {
  return census.findings().flatMap((finding) => {
    if (finding.id === 'rules-ignored' || finding.id.startsWith('dump-')) return [finding]
    // The conversion preserves the decisions that apply from 1.4.0 on.
    if (finding.id === 'rules-change-at-1.4.0') return [{ ...finding, severity: 'warning' as const }]
    return []
  })
}

async function readAccessors(path: string | undefined, io: Io): Promise<AccessorLookup | undefined> {
  if (path === undefined) return undefined
  const lookup = new AccessorLookup()
  await readRecords(await openDump(path, io.stdin), io, ({ value, line, byte }) => {
    if (lookup.add(value)) return
    throw new InputError('this is not an answer of GET /v1/acl/tokens: a record has no AccessorID', {
      place: { file: path, line, byte },
    })
  })
  return lookup
}
