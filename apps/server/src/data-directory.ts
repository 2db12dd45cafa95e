import { accessSync, constants, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { hasCode } from './has-code.ts'
import { StartError } from './start-error.ts'

/**
 * Opens the data directory, which contains the embedded database and generated keys; creates it if missing.
 *
 * @returns its real path.
 * @throws StartError if this user cannot create, enter or write it.
 */
export function openDataDirectory(path: string): string {
  try {
    // Root's database runs as another user, who must be able to traverse it; only the owner may list it.
    createDirectory(resolve(path), process.getuid?.() === 0 ? 0o711 : 0o700)
    const dataDir = realpathSync(path)
    if (!statSync(dataDir).isDirectory()) throw new Error('it is a file, not a directory')
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
    return dataDir
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    throw new StartError(`The data directory ${path} cannot be used: ${problem}`, { cause })
  }
}

/** Creates a directory and its missing parents. `mkdirSync` with `recursive` never returns below /proc (Node 24.21). */
function createDirectory(path: string, mode: number): void {
  if (existsSync(path)) return
  createDirectory(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    // Another process that starts at the same time may have created it.
    if (!hasCode(error, 'EEXIST')) throw error
  }
}
