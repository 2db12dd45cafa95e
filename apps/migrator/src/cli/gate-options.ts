/** Options for pipelines: the output format, the severity that fails, and the accepted findings. */
import { visible, visibleJson } from '@latchkey/contract'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { EXIT, type ExitCode, InputError } from '../errors.ts'
import { SEVERITIES, type Severity } from '../findings/finding.ts'
import {
  type Acceptance,
  acceptanceNotes,
  acceptBy,
  type MarkAccepted,
  readAcceptances,
} from '../gate/acceptances.ts'
import {
  FORMATS,
  type Format,
  fails,
  type Outcome,
  toAnnotations,
  toJunit,
  toSarif,
} from '../gate/formats.ts'
import { readTextFile } from './inputs.ts'
import { type Io, write } from './io.ts'
import { writeOutputFile } from './output-file.ts'

export interface GateOptions {
  readonly json?: true
  readonly format?: Format
  readonly failOn: Severity | 'never'
  readonly accept?: string
  readonly out?: string
}

/** The operator's acceptances, and their effect on findings. */
interface Acceptances {
  readonly list: readonly Acceptance[]
  readonly mark: MarkAccepted
}

/** Adds the options to a command. @param out the meaning of `--out` in this command. */
export function addGateOptions(
  command: Command,
  out = { flags: '--out <file>', description: 'write to a file' },
): Command {
  return command
    .option('--json', 'print one JSON document; short for --format json')
    .addOption(new Option('--format <format>', 'format of the answer').choices(FORMATS))
    .option(out.flags, out.description)
    .option(
      '--fail-on <severity>',
      `exit with 3 from this severity on: ${LIMITS.join(', ')}`,
      limitOption,
      'critical',
    )
    .option('--accept <file>', 'YAML list of accepted findings, each with finding, reason and until')
}

export async function loadAcceptances({ accept }: GateOptions): Promise<Acceptances> {
  const list = accept === undefined ? [] : readAcceptances(await readTextFile(accept), accept)
  return { list, mark: acceptBy(list, new Date().toISOString().slice(0, 10)) }
}

/** The result of a command, in its own two formats. */
interface Answer extends Omit<Outcome, 'failOn'> {
  readonly text: () => string
  readonly json: () => unknown
}

/** Writes the result in the format and to the place that the options name. Returns the exit code. */
export async function writeAnswer(
  answer: Answer,
  { list }: Acceptances,
  options: GateOptions,
  io: Io,
): Promise<ExitCode> {
  const outcome = { ...answer, failOn: options.failOn === 'never' ? undefined : options.failOn }
  const text = textOf(answer, outcome, formatOf(options))
  if (options.out === undefined) await write(io.stdout, text)
  else writeOutputFile(options.out, visible(text))
  for (const note of acceptanceNotes(list, answer.findings)) await write(io.stderr, `${note}\n`)
  return answer.findings.some((each) => fails(outcome, each)) ? EXIT.blockers : EXIT.done
}

function textOf(answer: Answer, outcome: Outcome, format: Format): string {
  switch (format) {
    case 'text':
      return answer.text()
    case 'json':
      return `${visibleJson(JSON.stringify(answer.json()))}\n`
    case 'junit':
      return toJunit(outcome)
    case 'sarif':
      return visibleJson(toSarif(outcome))
    case 'annotations':
      return toAnnotations(outcome)
  }
}

function formatOf({ json, format }: GateOptions): Format {
  if (json && format !== undefined && format !== 'json') {
    throw new InputError('give either --json or --format, not both')
  }
  return json ? 'json' : (format ?? 'text')
}

const LIMITS = [...SEVERITIES, 'never'] as const

function limitOption(text: string): Severity | 'never' {
  const limit = LIMITS.find((each) => each === text)
  if (limit === undefined) throw new InvalidArgumentError(`Write one of ${LIMITS.join(', ')}.`)
  return limit
}
