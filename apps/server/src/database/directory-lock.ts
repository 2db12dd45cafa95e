import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartError } from '../start-error.ts'

/** A held lock on a data directory. */
interface DirectoryLock {
  /** Releases the lock. Calling it again does nothing. */
  release(): void
}

/**
 * Takes the exclusive lock of a data directory, so that two servers never run a database on it.
 *
 * The operating system releases the lock when its holder dies, however that happens: there is no stale state to detect,
 * and a reused pid (common in containers) does not mislead. Node has no `flock`; an exclusive SQLite transaction on an
 * empty file is the same lock, on every platform and across containers of one machine. A second, plain file names the
 * holder for the error message only.
 *
 * @param dataDir an existing directory.
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
