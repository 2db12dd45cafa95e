/** The environment of a command. Tests pass their own. */
import { addAbortSignal, type Readable, type Writable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { coloured, unchecked, visible } from '@latchkey/contract/plain'
import type { Fetch } from '@latchkey/sdk'
import { CliError, EXIT, systemProblem } from './cli-error.ts'

export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean }
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
  readonly fetch?: Fetch | undefined
}

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Colours a text if the output is a terminal with colours enabled. */
export type Paint = (style: Style, text: string) => string

export function painterFor(env: Io['env'], stream: { readonly isTTY?: boolean }): Paint {
  // https://no-color.org: any non-empty value disables colours.
  const wants = !env.NO_COLOR && env.TERM !== 'dumb' && (stream.isTTY === true || Boolean(env.FORCE_COLOR))
  return (style, text) => (wants ? coloured(text, inspect.colors[style] as [number, number]) : text)
}

/** Writes a text for people and waits until it is flushed. Errors as for {@link writeData}. */
export function write(to: Writable, text: string): Promise<void> {
  return flush(to, visible(text))
}

/** Writes data, to a terminal without control characters. A closed pipe is no error. @throws CliError such as for a full disk. */
export function writeData(
  to: Writable & { readonly isTTY?: boolean },
  data: string | Uint8Array,
): Promise<void> {
  if (to.isTTY === true) return write(to, typeof data === 'string' ? data : new TextDecoder().decode(data))
  return flush(to, typeof data === 'string' ? unchecked(data) : data)
}

async function flush(to: Writable, text: string | Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    to.write(text, (error) => {
      if (!error || ('code' in error && error.code === 'EPIPE')) resolve()
      else {
        const message = `cannot write the output: ${systemProblem(error)}`
        reject(new CliError(message, { exitCode: EXIT.failed, cause: error }))
      }
    })
  })
}

/** Reads standard input to its end. Ctrl-C aborts the read. */
export async function readInput({ stdin, signal }: Pick<Io, 'stdin' | 'signal'>): Promise<Buffer> {
  return buffer(addAbortSignal(signal, stdin))
}

/** A progress line that overwrites itself; does nothing if standard error is not a terminal. */
export class Progress {
  private readonly stderr: Io['stderr']
  private isShown = false

  constructor({ stderr }: Io) {
    this.stderr = stderr
  }

  show(text: string): void {
    if (this.stderr.isTTY !== true) return
    this.stderr.write(`\r\u001b[K${visible(text)}`)
    this.isShown = true
  }

  clear(): void {
    if (!this.isShown) return
    this.stderr.write('\r\u001b[K')
    this.isShown = false
  }
}
