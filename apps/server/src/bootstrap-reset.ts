import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from './has-code.ts'

/** Write the reset index into this file of the data directory to allow one more bootstrap. */
const RESET_FILE = 'acl-bootstrap-reset'

/**
 * Looks for a reset file. A file with the expected index is consumed; a file without a number is treated as absent.
 *
 * @returns whether bootstrap may run again, or the other index that the file contains.
 */
export async function takeBootstrapReset(
  dataDir: string,
  expected: number,
): Promise<'none' | 'accepted' | { readonly wrong: number }> {
  const path = join(dataDir, RESET_FILE)
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'EACCES') || hasCode(error, 'ENOTDIR')) return ''
    throw error
  })
  if (!/^\d{1,15}$/.test(text.trim())) return 'none'
  const index = Number(text.trim())
  if (index !== expected) return { wrong: index }
  try {
    await unlink(path)
    return 'accepted'
  } catch (error) {
    // Another caller has just consumed it: if several try at once, one wins (RACE-01).
    if (hasCode(error, 'ENOENT')) return 'none'
    throw error
  }
}
