import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Fills a new folder, which then replaces an existing one. Another process may replace it concurrently, and a
 * concurrent reader sees either folder complete, or briefly none.
 *
 * @param drafts a folder on the same file system, in which the new one is made.
 */
export async function replaceFolder(
  folder: string,
  drafts: string,
  fill: (next: string) => Promise<void>,
): Promise<void> {
  // Only its owner may enter a folder of `mkdtemp`; the one inside gets the usual mode.
  const draft = mkdtempSync(join(drafts, '.draft-'))
  const next = join(draft, 'next')
  const old = join(draft, 'old')
  mkdirSync(next)
  try {
    await fill(next)
    for (;;) {
      if (moves(folder, old, 'ENOENT')) rmSync(old, { recursive: true, force: true })
      if (moves(next, folder, 'ENOTEMPTY')) return
    }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** @returns false for this error code: another process moved a folder in the meantime. */
function moves(from: string, to: string, expected: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== expected) throw error
    return false
  }
}
