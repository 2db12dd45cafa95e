/** Real server processes, each with a data directory of its own, for as long as a test needs them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { MANAGEMENT_TOKEN, type Variant } from './variants.ts'

const MAIN = join(import.meta.dirname, '../../../apps/server/src/main.ts')

export interface RunningServer {
  readonly url: string
  stop(): Promise<void>
}

/**
 * Starts what a variant needs: one server on its own database, or two on a shared one.
 *
 * @throws with what was printed, where a server ends before it listens.
 */
export async function runServer(variant: Pick<Variant, 'server' | 'besideVersion'>): Promise<RunningServer> {
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-conformance-'))
  const children: ChildProcess[] = []
  const stop = async () => {
    for (const child of children.reverse()) await end(child)
    await rm(dataDir, { recursive: true, force: true })
  }
  const start = async (args: readonly string[], env: Readonly<Record<string, string>>, ready: RegExp) => {
    const { child, found } = startProcess(args, { LATCHKEY_DATA_DIR: dataDir, ...env }, ready)
    children.push(child)
    return found
  }
  try {
    const settings = { LATCHKEY_INITIAL_MANAGEMENT_TOKEN: MANAGEMENT_TOKEN, ...variant.server }
    if (variant.besideVersion === undefined) {
      return { url: await start([], settings, LISTENS), stop }
    }
    await start(['postgres'], {}, /^PostgreSQL runs in (.+)$/)
    const shared = {
      ...settings,
      DATABASE_URL: (await readFile(join(dataDir, 'postgres.url'), 'utf8')).trim(),
    }
    await start([], { ...shared, LATCHKEY_SERVICE_VERSION: variant.besideVersion }, LISTENS)
    return { url: await start([], shared, LISTENS), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const LISTENS = /listens on (\S+)$/

/** @returns `found`: what the first line of its output that matches says. */
function startProcess(args: readonly string[], env: Readonly<Record<string, string>>, ready: RegExp) {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH, HOME, PORT: '0', LATCHKEY_LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const printed: string[] = []
  const found = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stderr }).on('line', (line) => printed.push(line))
    createInterface({ input: child.stdout }).on('line', (line) => {
      printed.push(line)
      const [, value] = ready.exec(line) ?? []
      if (value !== undefined) resolve(value)
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${printed.join('\n')}`)))
  })
  return { child, found }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGTERM')
  await once(child, 'exit')
}
