/** An error that the user can fix. */
import { EXIT, type ExitCode } from '../exit-codes.ts'

export class CliError extends Error {
  override readonly name = 'CliError'
  readonly exitCode: ExitCode
  /** Lines below the message: what to do. */
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
