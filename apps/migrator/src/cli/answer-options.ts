/** Options of the commands that answer with findings: text or JSON, where to write it, and the severity that fails. */
import { visible, visibleJson } from '@latchkey/contract'
import { type Command, InvalidArgumentError } from 'commander'
import { EXIT, type ExitCode } from '../errors.ts'
import { type Finding, reaches, SEVERITIES, type Severity } from '../findings/finding.ts'
import { type Io, write } from './io.ts'
import { writeOutputFile } from './output-file.ts'

export interface AnswerOptions {
  readonly json?: true
  readonly failOn: Severity | 'never'
  readonly out?: string
}

/** Adds the options to a command. @param out the meaning of `--out` in this command. */
export function addAnswerOptions(
  command: Command,
  out = { flags: '--out <file>', description: 'write to a file' },
): Command {
  return command
    .option('--json', 'print one JSON document')
    .option(out.flags, out.description)
    .option(
      '--fail-on <severity>',
      `exit with 3 from this severity on: ${LIMITS.join(', ')}`,
      limitOption,
      'critical',
    )
}

interface Answer {
  readonly findings: readonly Pick<Finding, 'severity'>[]
  readonly text: () => string
  readonly json: () => unknown
}

/** Writes the answer in the form and to the place that the options name. Returns the exit code. */
export async function writeAnswer(
  { findings, text, json }: Answer,
  { json: isJson, out, failOn }: AnswerOptions,
  io: Io,
): Promise<ExitCode> {
  const written = isJson ? `${visibleJson(JSON.stringify(json()))}\n` : text()
  if (out === undefined) await write(io.stdout, written)
  else writeOutputFile(out, visible(written))
  const fails = findings.some((each) => failOn !== 'never' && reaches(each, failOn))
  return fails ? EXIT.blockers : EXIT.done
}

const LIMITS = [...SEVERITIES, 'never'] as const

function limitOption(text: string): Severity | 'never' {
  const limit = LIMITS.find((each) => each === text)
  if (limit === undefined) throw new InvalidArgumentError(`Write one of ${LIMITS.join(', ')}.`)
  return limit
}
