/** Where a dump comes from: a file, or standard input. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { EXIT, InputError, systemProblem } from '../errors.ts'

export interface DumpSource {
  /** Its name in errors. */
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const CHUNK_BYTES = 64 * 1024

/** A file, or standard input for `-`. @throws InputError if the file does not exist. */
export async function openDump(path: string, stdin: Readable): Promise<DumpSource> {
  if (path === '-') return { name: 'standard input', chunks: stdin }
  const found = await stat(path).catch((error: unknown) => {
    throw new InputError(`cannot read: ${systemProblem(error)}`, {
      place: { file: path },
      exitCode: EXIT.failed,
    })
  })
  if (found.isDirectory()) {
    throw new InputError('cannot read: it is a directory', {
      place: { file: path },
      exitCode: EXIT.failed,
    })
  }
  return { name: path, chunks: createReadStream(path, { highWaterMark: CHUNK_BYTES }) }
}
