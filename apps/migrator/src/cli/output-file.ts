/**
 * Writes output files atomically: the old file remains until the new text is on disk. A device, a pipe or another
 * special file is written to directly.
 */
import {
  closeSync,
  constants,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { EXIT, InputError, systemProblem } from '../errors.ts'

/**
 * Writes a file. If the path is a symbolic link, the target of the link is replaced.
 *
 * @throws InputError, exit code 1, if the file cannot be written; nothing is left behind.
 */
export function writeOutputFile(path: string, text: string): void {
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) writeTo(path, constants.O_WRONLY, text)
    else replaceFile(resolveLink(path), text)
  } catch (error) {
    throw new InputError(`cannot write: ${systemProblem(error)}`, {
      place: { file: path },
      exitCode: EXIT.failed,
    })
  }
}

function replaceFile(target: string, text: string): void {
  const temporary = join(dirname(target), `.latchkey-migrator-${process.pid}-${temporaries++}.tmp`)
  try {
    writeTo(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, text)
    renameSync(temporary, target)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Writes all bytes. A write can be partial, for example just before the disk is full; the next write then fails. */
function writeTo(path: string, flags: number, text: string): void {
  const file = openSync(path, flags, 0o666)
  try {
    const bytes = Buffer.from(text)
    for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done)
    if (flags & constants.O_CREAT) fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Creates a directory for several output files. */
export function makeOutputDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true })
  } catch (error) {
    throw new InputError(`cannot create the directory: ${systemProblem(error)}`, {
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
