/** Reads the file of a legacy token list, part by part. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { type DumpRecord, DumpScanner, DumpSyntaxError } from '@latchkey/acl'
import { StartError } from '../start-error.ts'

/** Maximum tokens per part, and the bytes of the file after which a part is complete. */
const PART_TOKENS_MAX = 1_000
const PART_BYTES_MAX = 8_388_608

interface FileVersion {
  readonly bytes: number
  readonly modifiedAt: number
}

/** @throws StartError if it cannot be read, or is not a file. */
export async function versionOf(file: string): Promise<FileVersion> {
  const found = await stat(file).catch((cause: unknown) => {
    throw cannotRead(file, cause)
  })
  // It is read twice, which only a regular file allows.
  if (!found.isFile()) throw new StartError(`${file} is not a file.`)
  return { bytes: found.size, modifiedAt: found.mtimeMs }
}

/** Splits a list into parts that fit a request. @throws StartError with line and byte of a mistake. */
export async function* readLegacyList(file: string): AsyncGenerator<readonly DumpRecord[]> {
  const scanner = new DumpScanner()
  let part: DumpRecord[] = []
  try {
    for await (const bytes of createReadStream(file)) {
      for (const record of scanner.push(bytes)) {
        part.push(record)
        const partBytes = record.byte - (part[0]?.byte ?? 0)
        if (part.length < PART_TOKENS_MAX && partBytes < PART_BYTES_MAX) continue
        yield part
        part = []
      }
    }
    scanner.end()
  } catch (error) {
    if (error instanceof DumpSyntaxError) throw atPlace(file, error)
    throw cannotRead(file, error)
  }
  if (part.length > 0) yield part
}

function atPlace(file: string, { line, byte, message }: DumpSyntaxError): StartError {
  return new StartError(`${file}, line ${line}, byte ${byte}: ${message}`)
}

function cannotRead(file: string, cause: unknown): StartError {
  return new StartError(`${file} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`, {
    cause,
  })
}
