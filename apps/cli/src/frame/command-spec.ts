/** How commands are declared. Help, documentation and completion derive from the declarations. */

import type { Input } from './input.ts'
import type { Session } from './session.ts'

export interface OptionSpec {
  /** As commander writes them: `-y, --yes`, `--ttl <duration>`. */
  readonly flags: string
  readonly description: string
  readonly isList?: boolean
  readonly choices?: readonly string[]
  /** Names in other tools, such as `--json`. The error for an unknown option then suggests this option. */
  readonly misnomers?: readonly string[]
}

/** An option whose value may be a field of the body `B`. */
export interface FieldOption<B> extends OptionSpec {
  readonly field?: (keyof B & string) | undefined
  /** The value; `undefined`: the field stays as it is. Without this function, the text of the option. */
  readonly read?: (input: Input, before: Partial<B>, session: Session) => unknown
}

export function option<B>(
  flags: string,
  description: string,
  more: Omit<FieldOption<B>, 'flags' | 'description'> = {},
): FieldOption<B> {
  return { flags, description, ...more }
}

/** Runs a command. Returns an exit code, from `EXIT` or of a program that it ran; none means success. */
export type Action = (session: Session, input: Input) => Promise<number> | Promise<void>

export type CommandSpec = Description &
  (
    | { readonly run: Action }
    /** Imports the action when the command runs: one that needs large modules. */
    | { readonly load: () => Promise<Action> }
  )

interface Description {
  /** The words after `latchkey`, then the arguments: `token read <accessor>`. */
  readonly usage: string
  /** One line, without a full stop. */
  readonly summary: string
  readonly details?: string | undefined
  readonly options?: readonly OptionSpec[]
  /** Command lines without `latchkey`; absent: the usage. The first must work on a new server with a management token. */
  readonly examples?: readonly [string, ...string[]]
  readonly isHidden?: boolean
}

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly CommandSpec[]
}

export function examplesOf({ examples, usage }: CommandSpec): readonly [string, ...string[]] {
  return examples ?? [usage]
}

/** The words of a usage that name the command: `token`, `read`. */
export function wordsOf({ usage }: CommandSpec): string[] {
  return usage.split(' ').filter((word) => /^[a-z_]/.test(word))
}

export function argumentsOf({ usage }: CommandSpec): string {
  return usage
    .split(' ')
    .filter((word) => !/^[a-z_]/.test(word))
    .join(' ')
}

/** The long name of an option, without hyphens in front. */
export function longName({ flags }: OptionSpec): string {
  return /--([\w-]+)/.exec(flags)?.[1] ?? flags
}
