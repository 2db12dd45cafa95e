import type { ServiceVersion } from '@latchkey/contract'
import { openDump } from '../../dump/source.ts'
import { InputError } from '../../errors.ts'
import { sortFindings, verdictOf } from '../../findings/finding.ts'
import { type Condition, conditionsOf, holds } from '../../gate/conditions.ts'
import { modelOf } from '../../output/run-simulation.ts'
import { findingLines, verdictLine } from '../../output/text.ts'
import type { ConnectionOptions } from '../../scan/connection.ts'
import { readTokens } from '../../scan/read-tokens.ts'
import type { ModelName } from '../../scenario/scenario.ts'
import { readServers } from '../../watch/observe.ts'
import { type AnswerOptions, addAnswerOptions, writeAnswer } from '../answer-options.ts'
import { addConnectionOptions, CONNECTION_HELP, openReader } from '../connection-options.ts'
import { countScanned, countTokens, versionOption } from '../inputs.ts'
import { type AddCommand, type Io, type Paint, painterFor } from '../io.ts'
import { modelOption } from './simulate.ts'

interface Options extends AnswerOptions, Omit<ConnectionOptions, 'from'> {
  readonly url: string
  readonly to: ServiceVersion
  readonly next?: readonly string[]
  readonly dump?: string
  readonly backupConfirmed?: string
  readonly model: ModelName
}

/** Maximum number of tokens that each finding lists. */
const EXAMPLES_MAX = 20

export const addGate: AddCommand = (program, io, done) => {
  addConnectionOptions(addAnswerOptions(program.command('gate')))
    .description(
      'Checks a running service before the point of no return: which conditions hold, and which do not.',
    )
    .requiredOption('--url <url>', 'a server of the primary datacenter')
    .requiredOption('--to <version>', 'the version to upgrade to', versionOption)
    .option('--next <server...>', 'the servers that are replaced next, which may still run the old version')
    .option('--dump <file>', 'check the tokens of a dump instead of those of the server')
    .option('--backup-confirmed <text>', 'who restored which snapshot, and when, to confirm the backup')
    .option('--model <model>', 'which dead servers count: service or latchkey', modelOption, 'service')
    .addHelpText(
      'after',
      `
Run it before the last old server is replaced: legacy mode then ends by itself, and no server can go back to a version before
1.4.0. It only reads. Exits with 3 if a condition does not hold; --fail-on decides what counts.
${CONNECTION_HELP}

Examples:
  $ latchkey-migrator gate --url http://s1:8500 --to 1.8.7 --next s3 --backup-confirmed "alice, restored 21:10"
  $ latchkey-migrator gate --url http://s1:8500 --to 1.11 --json --out gate.json`,
    )
    .action(async (options: Options) => done(await gate(options, io)))
}

async function gate(options: Options, io: Io) {
  const { url, to, next = [], dump, backupConfirmed: backup, model } = options
  if (backup?.trim() === '') throw new InputError('--backup-confirmed is empty: say who, and which snapshot')
  const reader = await openReader({ ...options, from: url }, io)
  const servers = await readServers(reader)
  const widening = model === 'latchkey' ? 'comment-out' : 'keep'
  const counting = { widening, placesMax: EXAMPLES_MAX } as const
  const { census } = await countScanned(readTokens(reader, undefined), counting, io)
  const given = dump === undefined ? census : await countTokens(await openDump(dump, io.stdin), counting, io)
  const conditions = conditionsOf({
    ...{ servers, to, next, backup },
    model: modelOf(model),
    tokens: census.counts(),
    tokenFindings: given.findings(),
  })
  const findings = sortFindings(conditions.flatMap((each) => each.findings))
  const result = {
    server: reader.name,
    to: to.text,
    verdict: verdictOf(findings),
    conditions: conditions.map((each) => ({ name: each.name, holds: holds(each), detail: each.detail })),
    findings,
  }
  const answer = {
    findings,
    text: () => formatGate(conditions, painterFor(io)),
    json: () => result,
  }
  return writeAnswer(answer, options, io)
}

function formatGate(conditions: readonly Condition[], paint: Paint): string {
  const findings = sortFindings(conditions.flatMap((each) => each.findings))
  const broken = conditions.filter((each) => !holds(each)).length
  return [
    verdictLine(verdictOf(findings), paint),
    broken === 0
      ? 'every condition holds'
      : `${broken} of ${conditions.length} conditions ${broken === 1 ? 'does' : 'do'} not hold`,
    '',
    ...conditions.map((each) => {
      const mark = holds(each) ? paint('green', 'ok') : paint('red', 'NO')
      return `  ${mark}  ${each.name}${each.detail === '' ? '' : `: ${each.detail}`}`
    }),
    '',
    ...findingLines(findings, paint),
    '',
  ].join('\n')
}
