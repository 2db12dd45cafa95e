/** The command line: commands, help, and the message and exit code for every error. */
import { AclError, PRODUCT_VERSION, visible } from '@latchkey/contract'
import { Command, CommanderError } from 'commander'
import { EXIT, type ExitCode, InputError } from '../errors.ts'
import type { AddCommand } from './command.ts'
import { addCheckTraffic } from './commands/check-traffic.ts'
import { addConvert } from './commands/convert.ts'
import { addGate } from './commands/gate.ts'
import { addPlan } from './commands/plan.ts'
import { addRehearse } from './commands/rehearse.ts'
import { addScan } from './commands/scan.ts'
import { addSimulate } from './commands/simulate.ts'
import { addWatch } from './commands/watch.ts'
import { type Io, write } from './io.ts'

const COMMANDS: readonly AddCommand[] = [
  addScan,
  addPlan,
  addSimulate,
  addConvert,
  addRehearse,
  addGate,
  addWatch,
  addCheckTraffic,
]

const EXIT_CODES = `
Exit codes:
  0  done
  1  failed: an input cannot be read, an output cannot be written, a check found a fault
  2  usage: the command line or the scenario cannot be used
  3  blockers found: do not upgrade yet
  4  interrupted, and can be resumed: the message says how
  5  cannot tell: more than 1 % of an access log could not be read, or it has no calls
  130  interrupted by Ctrl-C, with nothing to resume
`

/** Runs a command line, given without the name of the program. Never throws, and never exits the process. */
export async function runCli(argv: readonly string[], io: Io): Promise<ExitCode> {
  let code: ExitCode = EXIT.done
  const program = new Command('latchkey-migrator')
    .description(
      'Plans, simulates and rehearses the upgrade of a legacy cluster: how long it takes and what breaks.',
    )
    .version(`Latchkey ${PRODUCT_VERSION}`, '-v, --version', 'print the version')
    .helpCommand(true)
    .showSuggestionAfterError(true)
    .addHelpText('after', EXIT_CODES)
  configure(program, io)
  for (const add of COMMANDS) {
    add(program, io, (result) => {
      code = result
    })
  }
  for (const command of program.commands) configure(command, io)
  try {
    await program.parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    return report(error, io)
  }
}

function configure(command: Command, io: Io): void {
  command
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(visible(text)),
    })
}

async function report(error: unknown, io: Io): Promise<ExitCode> {
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage
  if (io.signal.aborted) {
    await write(io.stderr, 'interrupted\n')
    return EXIT.interrupted
  }
  if (error instanceof InputError) {
    await write(io.stderr, `error: ${error.text}\n`)
    return error.exitCode
  }
  if (error instanceof AclError) {
    await write(io.stderr, `error: ${error.message}\n`)
    return EXIT.usage
  }
  const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
  await write(io.stderr, `error: a bug in the migrator, please report it: ${detail}\n`)
  return EXIT.failed
}
