/** The measured server, with its embedded database. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { serverMain } from '@latchkey/testkit/process/server-build'

export interface Measured {
  /** Without a trailing slash. */
  readonly url: string
  readonly pid: number
  /** A management token. */
  readonly secret: string
  /** Family of its headers. */
  readonly prefix: string
  stop(): Promise<void>
}

/** The secret of the management token of every server here. */
export const ROOT = '11111111-1111-4111-8111-111111111111'

interface ServerOptions {
  readonly dataDir: string
  readonly profileDir: string | undefined
  readonly workers: number
}

/** Starts the server as `pnpm start` does, on a free port, with fsync on as always. */
export function startServer({ dataDir, profileDir, workers }: ServerOptions): Promise<Measured> {
  const profiling = profileDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileDir}`]
  return start([...profiling, serverMain()], {
    PORT: '0',
    LATCHKEY_DATA_DIR: dataDir,
    LATCHKEY_WORKERS: `${workers}`,
    LATCHKEY_INITIAL_MANAGEMENT_TOKEN: ROOT,
    // The load comes from one address.
    LATCHKEY_MAX_CONNECTIONS_PER_CLIENT: '0',
    LATCHKEY_LOGINS_PER_SECOND: '0',
  })
}

async function start(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Measured> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith('LATCHKEY_') && name !== 'DATABASE_URL',
  )
  const child = spawn(process.execPath, args, {
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  return {
    url: await urlOf(child),
    pid: child.pid ?? 0,
    secret: ROOT,
    prefix: 'X-Service-',
    stop: () => stop(child),
  }
}

function urlOf(child: ChildProcess): Promise<string> {
  const { stdout } = child
  if (!stdout) throw new TypeError('the process has no standard output')
  return new Promise((resolve, reject) => {
    createInterface({ input: stdout }).on('line', (line) => {
      const found = /listens on (\S+)/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${child.spawnargs.join(' ')} ended with ${code}`)))
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
