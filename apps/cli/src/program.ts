/** The command line: turns the declared commands into a program, and every outcome into an exit code. */
import { PRODUCT_VERSION, visible } from '@latchkey/contract/plain'
import { Command, CommanderError, Option } from 'commander'
import { COMMAND_GROUPS } from './commands/groups.ts'
import { CliError, EXIT, EXIT_MEANINGS, type ExitCode } from './frame/cli-error.ts'
import { argumentsOf, type CommandSpec, examplesOf, type OptionSpec, wordsOf } from './frame/command-spec.ts'
import { GLOBAL_OPTIONS } from './frame/global-options.ts'
import { Input } from './frame/input.ts'
import { type Io, painterFor, write } from './frame/io.ts'
import { Session } from './frame/session.ts'

/** Runs a command line, given without the name of the program. Never throws, and never exits the process. */
export async function runCli(argv: readonly string[], io: Io): Promise<number> {
  let session: Session | undefined
  let exitCode: number = EXIT.done
  const program = buildProgram(io, async (spec, input) => {
    session = new Session(io, input)
    try {
      const action = 'run' in spec ? spec.run : await spec.load()
      exitCode = (await action(session, input)) ?? EXIT.done
    } finally {
      session.progress.clear()
    }
  })
  try {
    // Without a command, help is the answer and not a mistake.
    if (argv.length === 0) {
      await write(io.stdout, program.helpInformation())
      return EXIT.done
    }
    const helped = helpedCommand(program, argv)
    if (helped !== undefined) helped.outputHelp()
    else await program.parseAsync([...argv], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
    return report(error, io, session)
  }
}

/** The command that `help token create` or `token help create` asks about: commander reads one word only. @throws CliError */
function helpedCommand(program: Command, argv: readonly string[]): Command | undefined {
  const commandIn = ({ commands }: Command, word: string) => commands.find((each) => each.name() === word)
  const at = argv.indexOf('help')
  const isGroup = (word: string) => (commandIn(program, word)?.commands.length ?? 0) > 0
  if (at === -1 || !argv.slice(0, at).every(isGroup)) return undefined
  const words = argv.filter((word, i) => i !== at && !word.startsWith('-'))
  let found = program
  for (const [i, word] of words.entries()) {
    const next = commandIn(found, word)
    if (next === undefined) throw new CliError(`there is no command "${words.slice(0, i + 1).join(' ')}"`)
    found = next
  }
  return found
}

async function report(error: unknown, io: Io, session: Session | undefined): Promise<ExitCode> {
  const paint = painterFor(io.env, io.stderr)
  const print = (message: string, hints: readonly string[]) =>
    write(
      io.stderr,
      `${paint('red', 'error:')} ${message}\n${hints.map((hint) => `  ${paint('dim', hint)}\n`).join('')}`,
    )
  if (io.signal.aborted) {
    await write(io.stderr, 'interrupted\n')
    return EXIT.interrupted
  }
  if (error instanceof CliError) {
    await print(error.message, error.hints)
    return error.exitCode
  }
  if (session !== undefined) {
    const { explainError } = await import('./frame/explain-error.ts')
    const explained = await explainError(error instanceof TypeError ? (session.gap ?? error) : error, session)
    if (explained !== undefined) {
      await print(explained.message, explained.hints)
      return explained.exitCode
    }
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  await print(`a bug in the command line, please report it: ${detail}`, [])
  return EXIT.failed
}

type Run = (spec: CommandSpec, input: Input) => Promise<void>

function buildProgram({ stdout, stderr }: Pick<Io, 'stdout' | 'stderr'>, run: Run): Command {
  const program = new Command('latchkey')
    .description('Manage the tokens, policies and keys of a Latchkey service, and find out who may do what.')
    .version(`Latchkey ${PRODUCT_VERSION}`, '-v, --version', 'print the version')
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError('  For options and examples, add --help')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(visible(text)),
      outputError: (text, write) => write(suggestOption(text, GLOBAL_OPTIONS)),
    })
  for (const option of GLOBAL_OPTIONS) program.addOption(toOption(option))
  for (const { title, commands } of COMMAND_GROUPS) {
    for (const spec of commands) addCommand(program, spec, title, run)
  }
  for (const group of program.commands.filter(({ commands }) => commands.length > 0)) {
    group.description(group.commands.map((command) => command.name()).join(', '))
  }
  program.addHelpText('after', renderExitCodes())
  return program
}

function addCommand(program: Command, spec: CommandSpec, title: string, run: Run): void {
  const { summary, details, options = [], isHidden = false } = spec
  const [first = '', second] = wordsOf(spec)
  const parent =
    second === undefined
      ? program
      : (program.commands.find((command) => command.name() === first) ??
        program.command(first).helpGroup(`${title}:`))
  const command = parent
    .command(`${second ?? first} ${argumentsOf(spec)}`.trim(), { hidden: isHidden })
    .summary(summary)
    .description(`${sentence(summary)}${details ? `\n\n${details}` : ''}`)
    .allowExcessArguments(false)
    .configureOutput({
      outputError: (text, write) => write(suggestOption(text, [...options, ...GLOBAL_OPTIONS])),
    })
  if (parent === program) command.helpGroup(`${title}:`)
  for (const option of options) command.addOption(toOption(option))
  const examples = examplesOf(spec)
  const lines = examples.map((example) => `  $ latchkey ${example}`).join('\n')
  command.addHelpText('after', `\nExample${examples.length > 1 ? 's' : ''}:\n${lines}`)
  command.action(async () => {
    await run(spec, new Input(command.args, command.optsWithGlobals()))
  })
}

/** Commander's error for an unknown option, with or without its own suggestion. */
const UNKNOWN = /^(error: unknown option '(--?[\w-]+)[^\n]*)\n(?:\(Did you mean [^\n]*\n)?/

/** Suggests the first option for a name that is common in other tools; commander itself suggests similar names. */
function suggestOption(text: string, options: readonly OptionSpec[]): string {
  const [head, refusal, name = ''] = UNKNOWN.exec(text) ?? []
  const meant = options.find(({ misnomers }) => misnomers?.includes(name))
  if (head === undefined || meant === undefined) return text
  return `${refusal}\n(Did you mean ${meant.flags}?)\n${text.slice(head.length)}`
}

function toOption({ flags, description, isList, choices }: OptionSpec): Option {
  const option = new Option(flags, description)
  if (choices) option.choices([...choices])
  if (isList) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value])
  return option
}

function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}

function renderExitCodes(): string {
  const lines = Object.entries(EXIT).map(
    ([name, code]) =>
      `  ${String(code).padStart(3)}  ${EXIT_MEANINGS[name as keyof typeof EXIT].replaceAll('`', '')}`,
  )
  return `\nExit codes:\n${lines.join('\n')}\n`
}
