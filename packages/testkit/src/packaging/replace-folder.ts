import { renameSync, rmSync } from 'node:fs'

/**
 * Gives a new folder the name of an existing one, which is removed. Another process may replace it concurrently, and a
 * concurrent reader sees either folder complete, or briefly none.
 *
 * @param next on the same file system.
 */
export function replaceFolder(next: string, folder: string): void {
  const old = `${next}.old`
  for (;;) {
    if (moves(folder, old, 'ENOENT')) rmSync(old, { recursive: true, force: true })
    if (moves(next, folder, 'ENOTEMPTY')) return
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
