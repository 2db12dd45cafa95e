/** Writes output files atomically: the old one stays until the new is on disk. Devices are written to. */
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

let temporaries = 0

/** A file that becomes visible when it is complete. Every method throws InputError, exit code 1, and leaves nothing behind. */
export class OutputFile {
  private readonly path: string
  /** The file to replace, and the one that is written; undefined for a special file. */
  private readonly replaced: { readonly target: string; readonly temporary: string } | undefined
  private readonly descriptor: number

  /** @param path if it is a symbolic link, the target of the link is replaced. */
  constructor(path: string, mode = 0o666) {
    this.path = path
    const isSpecial = statSync(path, { throwIfNoEntry: false })?.isFile() === false
    if (!isSpecial) {
      const target = resolveLink(path)
      const name = `.latchkey-migrator-${process.pid}-${temporaries++}.tmp`
      this.replaced = { target, temporary: join(dirname(target), name) }
    }
    this.descriptor = attempt(path, () =>
      this.replaced === undefined
        ? openSync(path, constants.O_WRONLY)
        : openSync(this.replaced.temporary, 'wx', mode),
    )
  }

  /** Writes all bytes. A write can be partial, for example just before the disk is full; the next write then fails. */
  write(text: string): void {
    this.orDiscard(() => {
      const bytes = Buffer.from(text)
      for (let done = 0; done < bytes.length; ) done += writeSync(this.descriptor, bytes, done)
    })
  }

  close(): void {
    const { replaced } = this
    this.orDiscard(() => {
      if (replaced === undefined) return
      fsyncSync(this.descriptor)
      renameSync(replaced.temporary, replaced.target)
    })
    closeSync(this.descriptor)
  }

  discard(): void {
    closeSync(this.descriptor)
    if (this.replaced !== undefined) rmSync(this.replaced.temporary, { force: true })
  }

  private orDiscard(write: () => void): void {
    attempt(this.path, () => {
      try {
        write()
      } catch (error) {
        this.discard()
        throw error
      }
    })
  }
}

export function writeOutputFile(path: string, text: string): void {
  const file = new OutputFile(path)
  file.write(text)
  file.close()
}

export function makeOutputDirectory(path: string): void {
  attempt(path, () => mkdirSync(path, { recursive: true }), 'cannot create the directory')
}

function attempt<T>(file: string, act: () => T, failure = 'cannot write'): T {
  try {
    return act()
  } catch (error) {
    throw new InputError(`${failure}: ${systemProblem(error)}`, { place: { file }, exitCode: EXIT.failed })
  }
}

function resolveLink(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}
