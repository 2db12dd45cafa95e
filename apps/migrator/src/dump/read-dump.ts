/** Reads a dump record by record, in constant memory. */
import { EXIT, InputError } from '../errors.ts'
import { type DumpRecord, DumpScanner } from './scanner.ts'
import type { DumpSource } from './source.ts'

export interface ReadProgress {
  /** Bytes and tokens so far. */
  readonly bytes: number
  readonly tokens: number
}

/**
 * Yields the records of a dump in groups, as they arrive.
 *
 * @throws InputError with line and byte, exit code 1, where the dump is not a list of objects, cut off, or not UTF-8.
 */
export async function* readDump(
  source: DumpSource,
  onProgress?: (progress: ReadProgress) => void,
): AsyncGenerator<readonly DumpRecord[]> {
  const scanner = new DumpScanner(source.name)
  let bytes = 0
  const chunks = source.chunks[Symbol.asyncIterator]()
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'the connection broke off'
      throw new InputError(`cannot read on: ${code}`, {
        place: { file: source.name, byte: bytes },
        exitCode: EXIT.failed,
      })
    })
    if (next.done === true) break
    bytes += next.value.length
    yield scanner.push(next.value)
    onProgress?.({ bytes, tokens: scanner.count })
  }
  yield scanner.end()
}
