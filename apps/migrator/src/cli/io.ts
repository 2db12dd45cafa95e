/** The environment of a command. Tests pass their own. */
import type { Readable, Writable } from 'node:stream'
import { styleText } from 'node:util'

export interface Io {
  readonly stdin: Readable
  readonly stdout: Writable & { readonly isTTY?: boolean }
  readonly stderr: Writable & { readonly isTTY?: boolean }
  readonly env: Readonly<Record<string, string | undefined>>
  /** Aborted by Ctrl-C while a command waits for something; a command that is interrupted says what is left to do. */
  readonly signal: AbortSignal
}

type Style = 'bold' | 'red' | 'yellow' | 'green' | 'dim'

/** Colours a text if the output is a terminal that wants colours. */
export type Paint = (style: Style, text: string) => string

export function painterFor({ stdout, env }: Io): Paint {
  const wants = env.NO_COLOR === undefined && (stdout.isTTY === true || env.FORCE_COLOR !== undefined)
  return (style, text) => (wants ? styleText(style, text, { validateStream: false }) : text)
}

/** Writes a text and waits until it is flushed. A reader that closed the pipe is not an error. */
export async function write(to: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    to.write(text, (error) => {
      if (error && !('code' in error && error.code === 'EPIPE')) reject(error)
      else resolve()
    })
  })
}

/** A progress line that overwrites itself; does nothing if standard error is not a terminal. */
export function createProgress({ stderr }: Io): { show: (text: string) => void; clear: () => void } {
  if (stderr.isTTY !== true) return { show: () => undefined, clear: () => undefined }
  return {
    show: (text) => {
      stderr.write(`\r\u001b[K${text}`)
    },
    clear: () => {
      stderr.write('\r\u001b[K')
    },
  }
}
