/** How commands are declared. Help, documentation and completion derive from the declarations; actions load when they run. */
import type { Input } from './input.ts'
import type { Session } from './session.ts'

export interface OptionSpec {
  /** As commander writes them: `-y, --yes`, `--ttl <duration>`. */
  readonly flags: string
  readonly description: string
  /** May be given several times. */
  readonly isList?: boolean
  readonly choices?: readonly string[]
  /** Names from other tools, such as `--json`: the error for them names this option. */
  readonly misnomers?: readonly string[]
}

/** Runs a command. Without an exit code, of `EXIT` or of a program that it ran, it is done. */
export type Action = (session: Session, input: Input) => Promise<number> | Promise<void>

export interface CommandSpec {
  /** The words after `latchkey`, then the arguments: `token read <accessor>`. */
  readonly usage: string
  /** One line, without a full stop. */
  readonly summary: string
  /** Further sentences of the help. */
  readonly details?: string
  readonly options?: readonly OptionSpec[]
  /** Command lines without `latchkey`. The first one must run against a new server with a management token. */
  readonly examples: readonly [string, ...string[]]
  /** Not in help and documentation. */
  readonly isHidden?: boolean
  /** Imports the action. */
  readonly load: () => Promise<Action>
}

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly CommandSpec[]
}

/** The words of a usage that name the command: `token`, `read`. */
export function wordsOf({ usage }: CommandSpec): string[] {
  return usage.split(' ').filter((word) => /^[a-z_]/.test(word))
}

/** The arguments of a usage: `<accessor>`. */
export function argumentsOf({ usage }: CommandSpec): string {
  return usage
    .split(' ')
    .filter((word) => !/^[a-z_]/.test(word))
    .join(' ')
}
