/** What the same PostgreSQL takes in groups that are made by hand: the bound of durable creates. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CommitFigures } from './bench.ts'

/** Runs `commit.ts`, in a process and with a database of its own. */
export async function measureCommits(seconds: number): Promise<readonly CommitFigures[]> {
  const script = join(import.meta.dirname, 'commit.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(seconds)])
  // Its rows are numbers alone: clients, through the store, by hand, and what follows from them.
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter((cells) => cells.length > 2 && cells.every(Number.isFinite))
    .map(([clients = 0, storePerSecond = 0, handMadePerSecond = 0]) => ({
      clients,
      storePerSecond,
      handMadePerSecond,
    }))
}
