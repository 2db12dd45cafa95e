/** Runs the command line inside the test, against a server or the mocks. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { createMockService } from '@latchkey/mocks'
import { createClient, type Fetch } from '@latchkey/sdk'
import { runCli } from '../src/program.ts'

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  /** What a person types: standard input and error are a terminal, and input does not end. */
  readonly typed?: string
  readonly fetch?: Fetch
  readonly signal?: AbortSignal
  /** Whether standard output is a terminal. Default: no. */
  readonly isTTY?: boolean
}

/** A folder for the file of contexts of one test. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'latchkey-cli-'))
}

/** A command line whose runs share an environment, by default without contexts. */
export function commandLine(base: Omit<RunOptions, 'stdin' | 'typed'>) {
  const home = temporaryFolder()
  return async (argv: readonly string[] | string, options: RunOptions = {}): Promise<Outcome> => {
    const printed = { stdout: '', stderr: '' }
    const streamTo = (name: keyof typeof printed) => {
      const stream = new PassThrough()
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed[name] += text
      })
      // A prompt ends its output, which does nothing to the standard streams of a process.
      return Object.assign(stream, {
        isTTY: options.typed !== undefined && name === 'stderr',
        end: () => stream,
      })
    }
    const code = await runCli(typeof argv === 'string' ? argv.split(' ') : argv, {
      stdin:
        options.typed === undefined
          ? Readable.from([Buffer.from(options.stdin ?? '')])
          : terminalWith(options.typed),
      stdout: Object.assign(streamTo('stdout'), options.isTTY === true ? { isTTY: true } : {}),
      stderr: streamTo('stderr'),
      env: { LATCHKEY_CONTEXT_FILE: join(home, 'contexts.json'), ...base.env, ...options.env },
      signal: options.signal ?? new AbortController().signal,
      fetch: options.fetch ?? base.fetch,
    })
    return { code, ...printed }
  }
}

function terminalWith(typed: string): Readable & { readonly isTTY: boolean } {
  const terminal = Object.assign(new PassThrough(), { isTTY: true })
  terminal.write(typed)
  return terminal
}

/** A command line with the management token of a mock service, and a client with it. */
export function mockedLine(options?: Parameters<typeof createMockService>[0]) {
  const service = createMockService(options)
  const { baseUrl: address, managementToken: token, fetch } = service
  return {
    service,
    client: createClient({ address, token, fetch, env: false }),
    run: commandLine({ fetch, env: { LATCHKEY_ADDR: address, LATCHKEY_TOKEN: token } }),
  }
}
