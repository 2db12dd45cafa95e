import { findConversion } from '../../convert/conversion-findings.ts'
import { writeConversion } from '../../convert/files/commands.ts'
import { makeConversion, planOf } from '../../convert/make-conversion.ts'
import { proveConversion } from '../../convert/proof/prove-conversion.ts'
import { simulateUpgrade } from '../../convert/proof/simulate-upgrade.ts'
import { NO_DECISIONS, readDecisions } from '../../convert/review-decisions.ts'
import { AccessorLookup, migratedToken, TokenIntake } from '../../convert/token-intake.ts'
import { EXIT, InputError } from '../../errors.ts'
import { type Finding, sortFindings } from '../../findings/finding.ts'
import { conversionDocument } from '../../output/convert-document.ts'
import { TokenCensus } from '../../plan/token-census.ts'
import { readScenario } from '../../scenario/read.ts'
import { command, writeAnswer } from '../command.ts'
import { loadScenario, openInput, readRecords, readTextFile } from '../inputs.ts'
import type { Io } from '../io.ts'

const CLUSTER_DEFAULT = 'name: from 1.10 to 1.11\ndatacenters: [{ name: dc1, servers: 3 }]\n'
const PLACES_MAX = 20

export const addConvert = command({
  name: 'convert',
  about:
    'Proposes policies and roles for legacy tokens, proves that no decision changes, and writes the commands.',
  argument: [
    '<dump>',
    'list of legacy tokens, as JSON or one object per line, or a snapshot archive; - for standard input',
  ],
  options: ['json', 'outFolder', 'failOn', 'names', 'accessors', 'scenario', 'questions', 'seed'],
  notes: `Groups tokens whose rules decide equally, whatever their texts are, and proposes a policy for each group. Nothing is changed
in any cluster: review the policies, then run apply.sh while the cluster runs 1.10. A scenario gives servers and default
policy for the simulated upgrade to 1.11.

No output has a secret: tokens are named by accessor, or by the hash of their ID. Exits with 1 if a decision would
change (nothing is written then), and with 3 if tokens cannot be converted or the simulated upgrade is a no-go.`,
  examples: [
    'convert legacy-tokens.json',
    'convert legacy-tokens.json --out conversion',
    'convert legacy-tokens.json --out conversion --names names.json --accessors tokens.json',
    'convert legacy-tokens.json --questions 1000 --json',
  ],
  run: async (options, io, dump) => {
    const { outFolder: out, names, accessors, questions, seed = 1, scenario } = options
    if (dump === '-' && [accessors, scenario].includes('-')) {
      throw new InputError('only one input can come from standard input')
    }
    const decisions = names === undefined ? NO_DECISIONS : readDecisions(await readTextFile(names, io), names)
    const cluster =
      scenario === undefined
        ? readScenario(CLUSTER_DEFAULT, 'the default scenario')
        : (await loadScenario(scenario, io)).scenario
    const census = new TokenCensus({ widening: 'comment-out', placesMax: PLACES_MAX })
    const intake = new TokenIntake(await readAccessors(accessors, io))
    await readRecords(await openInput(dump, io), io, (record) => {
      const token = census.add(record) ?? migratedToken(record.value)
      if (token !== undefined) intake.add(record, token)
    })
    const conversion = makeConversion(intake, decisions)
    const proof = proveConversion(conversion, { questions, seed })
    const upgrade = simulateUpgrade(conversion, cluster)
    const plan = planOf(conversion, { proof, upgrade, refused: census.counts().refused })
    const folder = out !== undefined && writeConversion(out, plan) ? out : undefined
    const findings = sortFindings([
      ...findConversion(conversion, { proof, upgrade }),
      ...dumpFindings(census),
    ])
    const document = conversionDocument(plan, findings, folder)
    const code = await writeAnswer({ findings, document, json: plan }, options, io)
    return proof.differenceCount === 0 ? code : EXIT.failed
  },
})

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
  await readRecords(await openInput(path, io), io, ({ value, line, byte }) => {
    if (lookup.add(value)) return
    throw new InputError('this is not an answer of GET /v1/acl/tokens: a record has no AccessorID', {
      place: { file: path, line, byte },
    })
  })
  return lookup
}
