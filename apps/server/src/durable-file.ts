import { randomUUID } from 'node:crypto'
import { link, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasCode } from './has-code.ts'
import { StartError } from './start-error.ts'

/**
 * Reads a small secret file, and creates it first if it is missing.
 *
 * Losing one of these files loses data, so a created file is on disk (file and directory entry) before this returns.
 * Several processes may call it at once: one creates the file, and all return the same text. A crash leaves the
 * complete file or none.
 *
 * @param path the file, in an existing directory.
 * @param create returns the text of a new file.
 * @throws StartError if other users of the machine may read the file.
 */
export async function readOrCreateSecretFile(path: string, create: () => string): Promise<string> {
  const existing = await readSecretFile(path)
  if (existing !== undefined) return existing

  const draft = `${path}.${randomUUID()}`
  try {
    const file = await open(draft, 'wx', 0o600)
    try {
      await file.writeFile(create())
      await file.sync()
    } finally {
      await file.close()
    }
    // `link` fails where `rename` would silently replace a file that another process has just created.
    await link(draft, path).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  await syncDirectory(dirname(path))
  const created = await readSecretFile(path)
  if (created === undefined) throw new StartError(`${path} vanished while it was being created`)
  return created
}

async function readSecretFile(path: string): Promise<string | undefined> {
  try {
    if (process.platform !== 'win32') {
      const { mode } = await stat(path)
      if ((mode & 0o077) !== 0) {
        const shown = (mode & 0o777).toString(8)
        throw new StartError(`${path} has mode ${shown}: other users can read it. Run: chmod 600 '${path}'`)
      }
    }
    return await readFile(path, 'utf8')
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * Makes renames and new names in a directory survive a power cut. Windows cannot open a directory, and does not need
 * to.
 */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
