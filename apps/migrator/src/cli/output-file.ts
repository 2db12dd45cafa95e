/** Writes output files atomically: the old file stays until the new text is on disk. */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { EXIT, InputError } from '../errors.ts'

/**
 * Writes a file. A link is followed, so that the file behind it is replaced and not the link.
 *
 * @throws InputError, exit code 1, where the file cannot be written; nothing is left behind then.
 */
export function writeOutputFile(path: string, text: string): void {
  const target = resolveLink(path)
  const temporary = join(dirname(target), `.latchkey-migrator-${process.pid}-${temporaries++}.tmp`)
  try {
    const file = openSync(temporary, 'wx')
    try {
      writeSync(file, text)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new InputError(`cannot write: ${code}`, { place: { file: path }, exitCode: EXIT.failed })
  }
}

/** Makes a directory for several output files. */
export function makeOutputDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new InputError(`cannot make the directory: ${code}`, {
      place: { file: path },
      exitCode: EXIT.failed,
    })
  }
}

let temporaries = 0

function resolveLink(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
