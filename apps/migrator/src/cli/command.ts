/** What the commands have in common: how they are declared, and how they write their answers. */
import { visible, visibleJson } from '@latchkey/contract'
import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../errors.ts'
import { type Finding, reaches } from '../findings/finding.ts'
import { type Document, renderText } from '../output/document.ts'
import { type Io, painterFor, write } from './io.ts'
import { OPTIONS, type OptionName, type OptionsOf } from './options.ts'
import { writeOutputFile } from './output-file.ts'

export type AddCommand = (program: Command, io: Io, done: (code: ExitCode) => void) => void

interface Spec<Name extends OptionName> {
  readonly name: string
  readonly about: string
  readonly argument?: readonly [name: string, about: string]
  readonly options: readonly Name[]
  readonly notes: string
  readonly examples: readonly string[]
  readonly run: (options: OptionsOf<Name>, io: Io, argument: string) => Promise<ExitCode>
}

export function command<Name extends OptionName>(spec: Spec<Name>): AddCommand {
  const { name, about, argument, options, notes, examples, run } = spec
  return (program, io, done) => {
    const added = program.command(name).description(about)
    if (argument !== undefined) added.argument(...argument)
    for (const each of options) added.addOption(OPTIONS[each])
    const lines = examples.map((example) => `  $ latchkey-migrator ${example}`)
    added.addHelpText('after', `\n${notes}\n\nExamples:\n${lines.join('\n')}`).action(async () => {
      const values = options.map((each) => [each, added.getOptionValue(OPTIONS[each].attributeName())])
      done(await run(Object.fromEntries(values) as OptionsOf<Name>, io, added.args[0] ?? ''))
    })
  }
}

interface Answer {
  readonly findings?: readonly Pick<Finding, 'severity'>[]
  readonly document: Document
  readonly json: unknown
}

export async function writeAnswer(
  { findings = [], document, json }: Answer,
  options: Partial<OptionsOf<'json' | 'out' | 'failOn'>>,
  io: Io,
): Promise<ExitCode> {
  const { json: isJson, out, failOn = 'never' } = options
  const written = isJson ? jsonLine(json) : renderText(document, painterFor(io))
  if (out === undefined) await write(io.stdout, written)
  else writeOutputFile(out, visible(written))
  const fails = findings.some((each) => failOn !== 'never' && reaches(each, failOn))
  return fails ? EXIT.blockers : EXIT.done
}

export function jsonLine(value: unknown): string {
  return `${visibleJson(JSON.stringify(value))}\n`
}
