/** Errors that users of the migrator can cause, and their exit codes. */
import { getSystemErrorMessage } from 'node:util'

export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  blockers: 3,
  resumable: 4,
  unknown: 5,
  interrupted: 130,
} as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** A place in an input file. Lines and columns count from 1; `byte` counts from 0. */
export interface Place {
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly byte?: number
}

/** An unusable input. The message names the place and the problem, and never contains a secret. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly exitCode: ExitCode
  readonly place: Place

  constructor(message: string, options: { place?: Place; exitCode?: ExitCode; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.place = options.place ?? {}
    this.exitCode = options.exitCode ?? EXIT.usage
  }

  /** The message after its place, in the format of compilers: `plan.yaml:12:5: …`. */
  get text(): string {
    const where = formatPlace(this.place)
    return where === '' ? this.message : `${where}: ${this.message}`
  }
}

/** Why a read, a write or a connection failed, such as `ENOENT (no such file or directory)`. */
export function systemProblem(error: unknown, otherwise = 'unknown error'): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
  if (!(cause instanceof Error) || !('code' in cause) || typeof cause.code !== 'string') return otherwise
  const isNumbered = 'errno' in cause && typeof cause.errno === 'number'
  return isNumbered ? `${cause.code} (${getSystemErrorMessage(cause.errno as number)})` : cause.code
}

/** Writes a place as `file:line:column`, `file:line (byte 17)` or `line 3, column 7`; empty when nothing is known. */
function formatPlace({ file, line, column, byte }: Place): string {
  const inLine = column === undefined ? '' : `:${column}`
  const place = line === undefined ? '' : `${line}${inLine}`
  const named = [file ?? (place === '' ? '' : 'line'), place]
    .filter((part) => part !== '')
    .join(file === undefined ? ' ' : ':')
  return byte === undefined ? named : `${named} (byte ${byte})`.trimStart()
}
