/** Exit codes, the same for every command. Scripts may rely on them. */

export const EXIT = {
  done: 0,
  failed: 1,
  differs: 2,
  denied: 3,
  notFound: 4,
  conflict: 5,
  invalid: 6,
  unavailable: 7,
  usage: 64,
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** What each code means, for help and documentation. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'success; for `can`: yes',
  failed: 'failed for a reason not listed here',
  differs: 'differences were found: `plan`, `what-if`, `rules fmt --check`',
  denied: 'the token lacks a right, is unknown or expired; for `can`: no',
  notFound: 'the record or key does not exist',
  conflict: 'a name or id is in use, or the record changed in the meantime',
  invalid: 'the content was refused: a field, rules, or a file in a folder',
  unavailable: 'the service cannot be reached or does not answer in time',
  usage: 'the command line is invalid, or confirmation needs a terminal',
  interrupted: 'interrupted by Ctrl-C',
}

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  readonly hints: readonly string[]

  constructor(
    message: string,
    options: {
      readonly exitCode?: ExitCode
      readonly hints?: readonly string[]
      readonly cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.exitCode = options.exitCode ?? EXIT.usage
    this.hints = options.hints ?? []
  }
}

/** Why a file could not be read or written, such as `no such file or directory`. */
export function systemProblem(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const [, reason] = /^[A-Z]+: ([^,]+)/.exec(error.message) ?? []
  return reason ?? error.message
}
