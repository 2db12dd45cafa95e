/** Runs the command line in process. */
import { Readable, Writable } from 'node:stream'
import type { Io } from '../src/cli/io.ts'
import { runCli } from '../src/cli/program.ts'
import type { ExitCode } from '../src/errors.ts'

interface Run {
  readonly code: ExitCode
  readonly stdout: string
  readonly stderr: string
}

/** Runs one command line. @param options.stdin what standard input holds. */
export async function run(
  argv: readonly string[],
  options: { readonly stdin?: string; readonly env?: Io['env']; readonly signal?: AbortSignal } = {},
): Promise<Run> {
  const stdout = collector()
  const stderr = collector()
  const code = await runCli(argv, {
    stdin: Readable.from([Buffer.from(options.stdin ?? '')]),
    stdout: stdout.stream,
    stderr: stderr.stream,
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
  })
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

function collector(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = []
  const stream = new Writable({
    write: (chunk: Buffer, _, done) => {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  return { stream, text: () => Buffer.concat(chunks).toString('utf8') }
}
