import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { childEnvironment } from './run-to-end.ts'

/** A server process of its own, as an operator starts it. */
export interface RunningServer {
  readonly url: string
  readonly process: ChildProcess
  /** Lines of the log so far. */
  readonly log: readonly string[]
  /** Sends a request below `/v1`; the answer's JSON where it is JSON, else its text. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
  /** Ends it and waits for its end. Default SIGTERM. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

export interface CallOptions {
  readonly token?: string
  readonly body?: unknown
}

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: what tests look into, and fail on where it is otherwise.
  readonly body: any
}

const MAIN = join(import.meta.dirname, '../src/main.ts')

/**
 * Starts the server on a free port.
 *
 * @param env settings; nothing of the surrounding `LATCHKEY_…` is taken over.
 * @throws with what it printed, where it ends before it listens.
 */
export async function runServer(env: Readonly<Record<string, string>>): Promise<RunningServer> {
  const child = spawn(process.execPath, [MAIN], {
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line))
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = /listens on (\S+)/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log.join('\n')}`)))
  })
  return {
    url,
    process: child,
    log,
    call: (method, path, options) => call(url, method, path, options),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token, body } = options
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: token === undefined ? {} : { 'X-Service-Token': token },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(text) : text }
}
