/** What a command may touch of the outside world. Tests hand in their own. */
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

/** Colours a text where the output is a terminal that wants colours. */
export type Paint = (style: Style, text: string) => string

export function painterFor({ stdout, env }: Io): Paint {
  const wants = env.NO_COLOR === undefined && (stdout.isTTY === true || env.FORCE_COLOR !== undefined)
  return (style, text) => (wants ? styleText(style, text, { validateStream: false }) : text)
}

/** Writes a text, and waits until it is gone: a pipe may be slow. A reader that went away is no error. */
export async function write(to: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    to.write(text, (error) => {
      if (error && !('code' in error && error.code === 'EPIPE')) reject(error)
      else resolve()
    })
  })
}

/** A line on a terminal that overwrites itself; nothing where standard error is no terminal. */
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
