/** A durable PostgreSQL for one proof, which it may kill and pause. */
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../src/database/embedded-postgres.ts'
import { migrate } from '../../../src/database/schema/migrate.ts'
import { childrenOf } from './child-processes.ts'
import { askDatabase } from './server-group.ts'

export interface OwnDatabase {
  readonly url: string
  /** SIGKILL to all its processes; resolves when it accepts connections again. */
  kill(): Promise<void>
  /** Kills all its processes whenever they restart, until the promise resolves. */
  keepAway(until: Promise<void>): Promise<void>
  /** SIGSTOP to all its processes, and SIGCONT. */
  pause(ms: number): Promise<void>
  /** Stops it, and removes its files. */
  remove(): Promise<void>
}

const log = pino({ level: 'silent' })

/** @param options.isMigrated whether it has the schema of this version. Default: true. */
export async function startOwnDatabase({ isMigrated = true } = {}): Promise<OwnDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-proof-'))
  const postgres = await startEmbeddedPostgres({ dataDir, log, settings: { max_connections: '200' } })
  const { url } = postgres
  if (isMigrated) await migrate({ url, log })
  const isUp = () =>
    askDatabase(url, 'SELECT 1').then(
      () => true,
      () => false,
    )
  return {
    url,
    async kill() {
      signalAll(postgres, 'SIGKILL')
      await sleep(50)
      while (!(await isUp())) await sleep(20)
    },
    async keepAway(until) {
      let isOver = false
      const over = until.then(() => {
        isOver = true
      })
      while (!isOver) {
        signalAll(postgres, 'SIGKILL')
        await Promise.race([over, sleep(20)])
      }
      while (!(await isUp())) await sleep(20)
    },
    async pause(ms) {
      const pids = signalAll(postgres, 'SIGSTOP')
      await sleep(ms)
      for (const pid of pids) signal(pid, 'SIGCONT')
    },
    async remove() {
      await postgres.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** @returns the pids that got the signal. */
function signalAll({ pid }: EmbeddedPostgres, name: NodeJS.Signals): readonly number[] {
  if (pid === undefined) return []
  const before = childrenOf(pid)
  // The postmaster first, so that it starts no new ones.
  signal(pid, name)
  const children = new Set([...before, ...childrenOf(pid)])
  for (const child of children) signal(child, name)
  return [...children, pid]
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It exited in between.
  }
}
