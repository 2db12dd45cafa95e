import { renameSync, rmSync } from 'node:fs'

/**
 * Gives a new folder the name of another, which is removed. A process that replaces it at the same time does not disturb
 * this, and one that reads it sees one of the folders whole, or for an instant none.
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

/** @returns false for this code of an error: another process has moved a folder in the meantime. */
function moves(from: string, to: string, expected: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== expected) throw error
    return false
  }
}
