import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

/** How a run of the command ended. */
export interface Ended {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
}

const MAIN = join(import.meta.dirname, '../src/main.ts')

/** The environment of a child: nothing of the surrounding `LATCHKEY_…` is taken over; compiled code is kept for the next. */
export function childEnvironment(env: Readonly<Record<string, string>>): Record<string, string | undefined> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LATCHKEY_') && name !== 'DATABASE_URL',
  )
  const NODE_COMPILE_CACHE = join(tmpdir(), 'latchkey-compiled')
  return { NODE_COMPILE_CACHE, ...Object.fromEntries(inherited), PORT: '0', ...env }
}

/** Starts the server's command. */
export function startCommand(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: childEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return {
    process: child,
    ended: ended.then(([stdout, stderr, [exitCode, signal]]) => ({ exitCode, signal, stdout, stderr })),
  }
}

/** Runs the server's command until it ends by itself. */
export function runToEnd(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return startCommand(args, env).ended
}
