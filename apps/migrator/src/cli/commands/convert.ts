import { findConversion } from '../../convert/conversion-findings.ts'
import { Existing } from '../../convert/existing.ts'
import { writeConversion } from '../../convert/files/commands.ts'
import { TokenSelection, tokenTable } from '../../convert/files/token-table.ts'
import { Catalog } from '../../convert/identities.ts'
import { makeConversion, planOf, stageOf } from '../../convert/make-conversion.ts'
import { proveConversion } from '../../convert/proof/prove-conversion.ts'
import { simulateUpgrade } from '../../convert/proof/simulate-upgrade.ts'
import { decisionsOf, NO_DECISIONS, readDecisions } from '../../convert/review-decisions.ts'
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
  options: [
    ...(['json', 'outFolder', 'failOn', 'names', 'accessors', 'existing', 'identities', 'only'] as const),
    ...(['scenario', 'questions', 'seed'] as const),
  ],
  notes: `Groups tokens whose rules decide equally, whatever their texts are, and proposes a policy for each group. Nothing is changed
in any cluster: review the policies, then run apply.sh while the cluster runs 1.10. A scenario gives servers and default
policy for the simulated upgrade to 1.11. Identities are narrower than legacy rules, which are prefixes: a finding says what they
leave out. A stage (--only) converts some tokens; with --existing and --accessors it knows what earlier stages did.

No output has a secret: tokens are named by accessor, or by the hash of their ID. Exits with 1 if a decision would
change (nothing is written then), and with 3 if tokens cannot be converted or the simulated upgrade is a no-go.`,
  examples: [
    'convert legacy-tokens.json',
    'convert legacy-tokens.json --out conversion',
    'convert legacy-tokens.json --out conversion --names names.json --accessors tokens.json',
    'convert legacy-tokens.json --out conversion --identities nodes.json services.json',
    'convert legacy-tokens.json --out team-a --only team-a.csv --accessors tokens.json --existing policies.json',
    'convert legacy-tokens.json --questions 1000 --json',
  ],
  run: async (options, io, dump) => {
    const { outFolder: out, names, accessors, only, questions, seed = 1, scenario } = options
    const { existing: existingFiles = [], identities: catalogFiles = [] } = options
    const inputs = [dump, names, accessors, only, scenario, ...existingFiles, ...catalogFiles]
    if (inputs.filter((path) => path === '-').length > 1)
      throw new InputError('only one input can come from standard input')
    const review = names === undefined ? NO_DECISIONS : readDecisions(await readTextFile(names, io), names)
    const cluster =
      scenario === undefined
        ? readScenario(CLUSTER_DEFAULT, 'the default scenario')
        : (await loadScenario(scenario, io)).scenario
    const selection = only === undefined ? undefined : new TokenSelection(await readTextFile(only, io), only)
    const existing = new Existing()
    await readAnswers(
      existingFiles,
      existing,
      { of: 'GET /v1/acl/policies or /v1/acl/roles', field: 'Name, Description or Hash' },
      io,
    )
    const catalog = catalogFiles.length === 0 ? undefined : new Catalog()
    if (catalog !== undefined)
      await readAnswers(
        catalogFiles,
        catalog,
        {
          of: 'GET /v1/catalog/nodes or /v1/catalog/services',
          field: 'Node and Datacenter, and it is not a list of services',
        },
        io,
      )
    const lookup = accessors === undefined ? undefined : new AccessorLookup()
    if (accessors !== undefined && lookup !== undefined)
      await readAnswers([accessors], lookup, { of: 'GET /v1/acl/tokens', field: 'AccessorID' }, io)
    const census = new TokenCensus({ widening: 'comment-out', placesMax: Number.POSITIVE_INFINITY })
    const intake = new TokenIntake(lookup)
    await readRecords(await openInput(dump, io), io, (record) => {
      const token = census.add(record) ?? migratedToken(record.value)
      if (token !== undefined) intake.add(record, token)
    })
    const whole = makeConversion(intake, { review, catalog, existing })
    const conversion = selection === undefined ? whole : stageOf(whole, selection.has)
    // A line may also name a token for which there is nothing to do, or nothing that can be done.
    const { linked, withoutRules, unconvertible, groups } = whole
    const others = [...linked, ...withoutRules, ...unconvertible.map(({ token }) => token)]
    const rejected = groups.filter((group) => group.rejected).flatMap(({ tokens }) => tokens)
    for (const token of [...others, ...rejected]) selection?.has(token)
    const proof = proveConversion(conversion, { questions, seed })
    const upgrade = simulateUpgrade(conversion, cluster)
    const plan = planOf(conversion, { proof, upgrade, refused: census.counts().refused })
    const found = dumpFindings(census)
    const findings = sortFindings([
      ...findConversion(conversion, { proof, upgrade, unknownLines: [...(selection?.unknown ?? [])] }),
      ...found.map(({ tokens, ...finding }) => ({
        ...finding,
        ...(tokens && { tokens: tokens.slice(0, PLACES_MAX) }),
      })),
    ])
    const files = () => ({ names: decisionsOf(whole), tokens: tokenTable(conversion, found) })
    const folder = out !== undefined && writeConversion(out, plan, files) ? out : undefined
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

async function readAnswers(
  files: readonly string[],
  reader: { readonly add: (record: object) => boolean },
  { of, field }: { readonly of: string; readonly field: string },
  io: Io,
): Promise<void> {
  for (const file of files) {
    await readRecords(await openInput(file, io), io, ({ value, line, byte }) => {
      if (reader.add(value)) return
      throw new InputError(`this is not an answer of ${of}: a record has no ${field}`, {
        place: { file, line, byte },
      })
    })
  }
}
