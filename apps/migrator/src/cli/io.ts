/** The environment of a command. Tests pass their own. */
import type { Readable, Writable } from 'node:stream'
import { inspect } from 'node:util'
import { coloured, visible } from '@latchkey/contract'
import { EXIT, InputError, systemProblem } from '../errors.ts'

export interface Io {
  readonly stdin: Readable
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted by Ctrl-C while a command waits. An interrupted command prints how to continue. */
  readonly signal: AbortSignal
}

export type Paint = (style: 'bold' | 'red' | 'yellow' | 'green' | 'dim', text: string) => string

export function painterFor({ stdout, env }: Io): Paint {
  const wants = env.NO_COLOR === undefined && (stdout.isTTY === true || env.FORCE_COLOR !== undefined)
  return (style, text) => (wants ? coloured(text, inspect.colors[style] as [number, number]) : text)
}

/** Writes a text without control characters of others. A closed pipe is no error; a full disk is. */
export async function write(to: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    to.write(visible(text), (error) => {
      if (!error || ('code' in error && error.code === 'EPIPE')) resolve()
      else
        reject(new InputError(`cannot write the output: ${systemProblem(error)}`, { exitCode: EXIT.failed }))
    })
  })
}

export function createProgress({ stderr }: Io): { show: (text: string) => void; clear: () => void } {
  if (stderr.isTTY !== true) return { show: () => undefined, clear: () => undefined }
  return {
    show: (text) => {
      stderr.write(`\r\u001b[K${visible(text)}`)
    },
    clear: () => {
      stderr.write('\r\u001b[K')
    },
  }
}
