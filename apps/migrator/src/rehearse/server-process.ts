/** Starts, signals and ends the server processes of a rehearsal, and leaves none behind. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { EXIT, InputError } from '../errors.ts'
import { formatSeconds } from '../scenario/time.ts'

const START_MS_MAX = 120_000
const STOP_MS_MAX = 60_000
const TAIL_LINES = 20

export interface LogLine {
  readonly server: string
  /** Milliseconds since the epoch, by the clock of the server. */
  readonly at: number
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

/** The lines with a message, sorted by time because servers write independently. */
export function linesOf(log: readonly LogLine[], message: string): LogLine[] {
  return log.filter((line) => line.message === message).sort((a, b) => a.at - b.at)
}

export interface ServerProcess {
  readonly url: string
  /** Resolves with the code or signal with which it ended. */
  readonly ended: Promise<string>
  signal(signal: NodeJS.Signals): void
  stop(signal: NodeJS.Signals): Promise<void>
}

interface ProcessOptions {
  readonly main: string
  /** Of the rehearsal, which removes it. */
  readonly directory: string
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly ready: RegExp
  readonly name: string
  readonly onLog: (line: LogLine) => void
}

/** The variables that a server needs from our environment. With the compiled code of the one before, starts take equally long. */
function inherited(directory: string): NodeJS.ProcessEnv {
  const { PATH, HOME, NODE_COMPILE_CACHE = join(directory, 'compiled') } = process.env
  return { PATH, HOME, NODE_COMPILE_CACHE }
}

/** Waits until it is ready. @throws InputError, exit code 1, with its last output lines. */
export async function startProcess(options: ProcessOptions): Promise<ServerProcess> {
  const { main, directory, args = [], env, ready, name, onLog } = options
  const child = spawn(process.execPath, [main, ...args], {
    env: { ...inherited(directory), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The rehearsal itself ends the processes in order on Ctrl-C.
    detached: true,
  })
  const tail: string[] = []
  createInterface({ input: child.stderr }).on('line', (line) => {
    tail.push(line)
    if (tail.length > TAIL_LINES) tail.shift()
    const parsed = parseLog(name, line)
    if (parsed) onLog(parsed)
  })
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) =>
      reject(new InputError(`server ${name} ${why}\n${tail.join('\n')}`, { exitCode: EXIT.failed }))
    const timer = setTimeout(() => fail(`was not ready within ${formatSeconds(START_MS_MAX)}`), START_MS_MAX)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const found = ready.exec(line)?.[1]
      if (found === undefined) return
      clearTimeout(timer)
      resolve(found)
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      fail(`ended with ${code}`)
    })
  }).catch((error: unknown) => {
    child.kill('SIGKILL')
    throw error
  })
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`))
  })
  return { url, ended, signal: (signal) => child.kill(signal), stop: (signal) => stop(child, signal) }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  // A paused process reacts only to SIGKILL.
  child.kill('SIGCONT')
  child.kill(signal)
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS_MAX)
  await ended
  clearTimeout(force)
}

function parseLog(server: string, line: string): LogLine | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const fields = JSON.parse(line) as Record<string, unknown>
    if (typeof fields.msg !== 'string' || typeof fields.time !== 'string') return undefined
    return { server, at: Date.parse(fields.time), message: fields.msg, fields }
  } catch {
    return undefined
  }
}
