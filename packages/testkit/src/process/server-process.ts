/** The server's command as a separate process, as an operator starts it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { serverMain } from './server-build.ts'

type Settings = Readonly<Record<string, string>>

/** The line that a server prints when it accepts requests, with its URL. */
export const LISTENS = /listens on (\S+)/

/**
 * The environment of a child: without the surrounding `LATCHKEY_…` variables, and with a free port, a shared compile cache
 * and one server process, however many cores the machine has.
 */
export function childEnvironment(env: Settings): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LATCHKEY_') && name !== 'DATABASE_URL',
  )
  const NODE_COMPILE_CACHE = join(tmpdir(), 'latchkey-compiled')
  return { NODE_COMPILE_CACHE, ...Object.fromEntries(inherited), PORT: '0', LATCHKEY_WORKERS: '1', ...env }
}

function spawnServer(args: readonly string[], env: Settings, main = serverMain()) {
  return spawn(process.execPath, [main, ...args], {
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** How a run of the command ended. */
interface Ended {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

interface Running {
  readonly process: ChildProcess
  /** The log so far. */
  log(): string
  readonly ended: Promise<Ended>
}

/** Starts the server's command. */
export function startCommand(args: readonly string[], env: Settings = {}): Running {
  const child = spawnServer(args, env)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      printed[name] += text
    })
  }
  return {
    process: child,
    log: () => printed.stderr,
    ended: once(child, 'close').then(([exitCode, signal]) => ({ exitCode, signal, ...printed })),
  }
}

/** Runs the server's command until it exits. */
export function runToEnd(args: readonly string[], env: Settings = {}): Promise<Ended> {
  return startCommand(args, env).ended
}

export interface ReadyCommand {
  readonly process: ChildProcess
  /** What the first group of `ready` matched. */
  readonly found: string
  /** Lines of the log so far. */
  readonly log: readonly string[]
  /** Sends a signal and waits until it exits. Default SIGTERM. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

/**
 * Starts the server's command and waits for the line that says it is ready.
 *
 * @param main the file to start. Default: the server of this version.
 * @throws with its output if it exits first.
 */
export async function startReady(
  args: readonly string[],
  env: Settings,
  ready: RegExp,
  main?: string,
): Promise<ReadyCommand> {
  const child = spawnServer(args, env, main)
  const log: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => log.push(line))
  const found = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const value = ready.exec(line)?.[1]
      if (value !== undefined) resolve(value)
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${log.join('\n')}`)))
  })
  return {
    process: child,
    found,
    log,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill(signal)
      await once(child, 'exit')
    },
  }
}

/** A server that accepts requests. */
export interface RunningServer extends Omit<ReadyCommand, 'found'> {
  readonly url: string
  /** Sends a request below `/v1`. Returns the answer's JSON, or its text if it is not JSON. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

interface CallOptions {
  readonly token?: string
  readonly body?: unknown
}

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect it and fail on another shape.
  readonly body: any
}

/**
 * Starts a server on a free port.
 *
 * @param env settings; surrounding `LATCHKEY_…` variables are dropped.
 * @param main the file to start. Default: the server of this version.
 * @throws with its output if it exits before it listens.
 */
export async function runServer(env: Settings, main?: string): Promise<RunningServer> {
  const { found: url, ...command } = await startReady([], env, LISTENS, main)
  return { ...command, url, call: (method, path, options) => call(url, method, path, options) }
}

async function call(url: string, method: string, path: string, options: CallOptions = {}): Promise<Answer> {
  const { token, body } = options
  const response = await fetch(`${url}/v1${path}`, {
    method,
    headers: token === undefined ? {} : { 'X-Service-Token': token },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const answer = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return { status: response.status, body: isJson ? JSON.parse(answer) : answer }
}
