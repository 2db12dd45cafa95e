import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from './has-code.ts'

/** Write the reset index into this file of the data directory, and bootstrap works once more. */
const RESET_FILE = 'acl-bootstrap-reset'

/**
 * Looks for a reset file. One that names the expected index is used up; one without a number acts as absent.
 *
 * @returns whether bootstrap may run again, or the index that was named instead.
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
    // Somebody else has just used it up: of many callers at once one wins (RACE-01).
    if (hasCode(error, 'ENOENT')) return 'none'
    throw error
  }
}
