/** Hand-made groups of creates on the same PostgreSQL: the upper bound of durable creates. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { CommitFigures } from './bench.ts'

/** Runs `commit.ts` in a separate process with its own database. */
export async function measureCommits(seconds: number): Promise<readonly CommitFigures[]> {
  const script = join(import.meta.dirname, 'commit.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [script, String(seconds)])
  // Its rows contain only numbers: clients, through the store, by hand, and derived values.
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
