import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../start-error.ts'

interface DirectoryLock {
  release(): void
}

/**
 * Takes the exclusive lock of a data directory. The operating system releases it when its holder dies, so there is no
 * stale state to detect. Node has no `flock`; an exclusive SQLite transaction on an empty file is the same lock, on
 * every platform and across containers of one machine. A second file names the holder for the error message only.
 *
 * @throws StartError naming the holder's pid and host.
 */
export function lockDirectory(dataDir: string): DirectoryLock {
  const holderFile = join(dataDir, 'server.pid')
  const file = new DatabaseSync(join(dataDir, 'server.lock'), { timeout: 0 })
  try {
    file.exec('BEGIN EXCLUSIVE')
  } catch (cause) {
    file.close()
    throw new StartError(
      `The data directory ${dataDir} is in use by another server (${readHolder(holderFile)}).\n` +
        'Stop that server, or give this one its own directory with LATCHKEY_DATA_DIR.',
      { cause },
    )
  }
  writeFileSync(holderFile, `pid ${process.pid} on ${hostname()}\n`)
  let held = true
  return {
    release() {
      if (!held) return
      held = false
      rmSync(holderFile, { force: true })
      file.close()
    },
  }
}

function readHolder(holderFile: string): string {
  try {
    return readFileSync(holderFile, 'utf8').trim() || 'just starting'
  } catch {
    return 'just starting'
  }
}
