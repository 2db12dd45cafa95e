/** Where a dump comes from: a file, or standard input. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { EXIT, type ExitCode, InputError, systemProblem } from '../errors.ts'

export interface DumpSource {
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const CHUNK_BYTES = 64 * 1024

/** A file, or standard input for `-`. @throws InputError if the file does not exist. */
export async function openDump(
  path: string,
  stdin: Readable,
  exitCode: ExitCode = EXIT.failed,
): Promise<DumpSource> {
  if (path === '-') return { name: 'standard input', chunks: stdin }
  const fail = (problem: string) =>
    new InputError(`cannot read: ${problem}`, { place: { file: path }, exitCode })
  const found = await stat(path).catch((error: unknown) => {
    throw fail(systemProblem(error))
  })
  if (found.isDirectory()) throw fail('it is a directory')
  return { name: path, chunks: createReadStream(path, { highWaterMark: CHUNK_BYTES }) }
}
