/** Reads a dump record by record, in constant memory: a list of tokens, or a snapshot archive of the legacy service. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { type DumpRecord, DumpScanner, DumpSyntaxError } from '@latchkey/acl'
import { type ArchiveContents, readArchive } from '../archive/read-archive.ts'
import { ArchiveError } from '../archive/state.ts'
import { isGzip } from '../archive/unpack.ts'
import { EXIT, type ExitCode, InputError, type Place, systemProblem } from '../errors.ts'

type Records = AsyncGenerator<readonly DumpRecord[], ArchiveContents | undefined>

/** Yields the records of a dump as they arrive, and returns the other contents of an archive. */
export async function* readDump(
  source: DumpSource,
  onProgress?: (read: { bytes: number; tokens: number }) => void,
): Records {
  let bytes = 0
  let tokens = 0
  const fail = (message: string, place: Omit<Place, 'file'>) =>
    new InputError(message, { place: { file: source.name, ...place }, exitCode: EXIT.failed })
  const counted = async function* () {
    try {
      for await (const chunk of source.chunks) {
        bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      if (error instanceof InputError) throw error
      const problem = systemProblem(error, 'the connection was cut')
      throw fail(`cannot continue reading: ${problem}`, { byte: bytes })
    }
  }
  const { first, chunks } = await peek(counted())
  const records: Records = isGzip(first) ? readArchive(chunks) : readList(chunks)
  try {
    for (;;) {
      const next = await records.next()
      if (next.done === true) return next.value
      tokens += next.value.length
      yield next.value
      onProgress?.({ bytes, tokens })
    }
  } catch (error) {
    if (error instanceof ArchiveError)
      throw fail(error.message, error.byte === undefined ? {} : { byte: error.byte })
    if (!(error instanceof DumpSyntaxError)) throw error
    throw fail(error.message, { line: error.line, byte: error.byte })
  } finally {
    await records.return(undefined)
  }
}

async function* readList(chunks: AsyncIterable<Uint8Array>): Records {
  const scanner = new DumpScanner()
  for await (const chunk of chunks) yield scanner.push(chunk)
  scanner.end()
  return undefined
}

/** The first chunk of at least two bytes, and the stream of all chunks including it. */
export async function peek(
  source: AsyncGenerator<Uint8Array>,
): Promise<{ readonly first: Uint8Array; readonly chunks: AsyncIterable<Uint8Array> }> {
  let first: Uint8Array = new Uint8Array(0)
  while (first.length < 2) {
    const next = await source.next()
    if (next.done === true) break
    first = first.length === 0 ? next.value : Buffer.concat([first, next.value])
  }
  const chunks = async function* () {
    yield first
    yield* source
  }
  return { first, chunks: chunks() }
}

export interface DumpSource {
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const CHUNK_BYTES = 64 * 1024

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
