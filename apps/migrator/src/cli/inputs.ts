/** Reads the inputs of commands: scenarios from files, standard input or the built-in ones, dumps, versions. */

import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import type { DumpRecord } from '@latchkey/acl'
import { parseServiceVersion, readVersion, type ServiceVersion } from '@latchkey/contract'
import { InvalidArgumentError } from 'commander'
import { readDump } from '../dump/read-dump.ts'
import type { DumpSource } from '../dump/source.ts'
import { EXIT, InputError, systemProblem } from '../errors.ts'
import { TokenCensus } from '../plan/token-census.ts'
import { BUILTIN_PREFIX, builtinText } from '../scenario/builtin.ts'
import { readScenario, SCENARIO_LENGTH_MAX } from '../scenario/read.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { abortable } from './abortable.ts'
import { createProgress, type Io } from './io.ts'

/** A scenario by path, `-` for standard input, or `builtin:name`. */
export async function loadScenario(path: string, io: Io): Promise<Scenario> {
  return (await loadScenarioText(path, io)).scenario
}

/** A scenario with its text. */
export async function loadScenarioText(
  path: string,
  io: Io,
): Promise<{ readonly scenario: Scenario; readonly text: string }> {
  if (path.startsWith(BUILTIN_PREFIX)) {
    const text = builtinText(path.slice(BUILTIN_PREFIX.length))
    return { text, scenario: readScenario(text, path) }
  }
  const bytes =
    path === '-' ? await readAll(abortable(io.stdin, io.signal), 'standard input') : await readFileOf(path)
  const file = path === '-' ? 'standard input' : path
  const text = decode(bytes, file)
  return { text, scenario: readScenario(text, file) }
}

/** Reads a text file of bounded size. */
export async function readTextFile(path: string): Promise<string> {
  return decode(await readFileOf(path), path)
}

function decode(bytes: Buffer, file: string): string {
  if (!isUtf8(bytes)) throw new InputError('the file is not UTF-8', { place: { file } })
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

export interface CensusOptions {
  readonly widening: 'keep' | 'comment-out'
  readonly placesMax: number
}

/** Reads the records of a dump one by one, and returns the other contents of an archive. */
export async function readRecords(source: DumpSource, io: Io, take: (record: DumpRecord) => void) {
  const progress = createProgress(io)
  const chunks = abortable(source.chunks, io.signal)
  const records = readDump({ ...source, chunks }, ({ bytes, tokens }) => {
    progress.show(`${tokens.toLocaleString('en-US')} tokens, ${Math.round(bytes / 1e6)} MB read`)
  })
  try {
    return await takeAll(records, (group) => {
      for (const record of group) take(record)
    })
  } finally {
    progress.clear()
  }
}

/** Reads a dump to its end and counts its tokens. */
export async function countTokens(source: DumpSource, options: CensusOptions, io: Io): Promise<TokenCensus> {
  const census = new TokenCensus(options)
  census.contents = await readRecords(source, io, (record) => census.add(record))
  return census
}

/** Counts the tokens of a running service. @param each called with the records as they arrive. */
export async function countScanned<T>(
  records: AsyncGenerator<readonly DumpRecord[], T>,
  options: CensusOptions,
  io: Io,
  each?: (group: readonly DumpRecord[]) => void,
): Promise<{ readonly census: TokenCensus; readonly end: T }> {
  const census = new TokenCensus(options)
  const progress = createProgress(io)
  let count = 0
  try {
    const end = await takeAll(records, (group) => {
      for (const record of group) census.add(record)
      each?.(group)
      count += group.length
      progress.show(`${count.toLocaleString('en-US')} tokens read`)
    })
    return { census, end }
  } finally {
    progress.clear()
  }
}

/** Consumes a generator, and returns its return value. */
async function takeAll<T, R>(items: AsyncGenerator<T, R>, take: (item: T) => void): Promise<R> {
  try {
    for (;;) {
      const next = await items.next()
      if (next.done === true) return next.value
      take(next.value)
    }
  } finally {
    // Closes the source if the consumer failed; the result is not used in this case.
    await items.return(undefined as R)
  }
}

/** Parses an option that is a known version. */
export function versionOption(text: string): ServiceVersion {
  if (readVersion(text) === undefined)
    throw new InvalidArgumentError('Write a version such as 1.11 or 1.4.0.')
  return parseServiceVersion(text)
}

/** Parses an option that is a whole number from 0. */
export function numberOption(text: string): number {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value > 4_294_967_295) throw new InvalidArgumentError('Write a whole number.')
  return value
}

/** Reads a whole file of bounded size. @throws InputError if it cannot be read or is too large. */
async function readFileOf(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    throw new InputError(`cannot read: ${systemProblem(error)}`, { place: { file: path } })
  })
  try {
    const { size } = await file.stat()
    if (size > 4 * SCENARIO_LENGTH_MAX) throw tooLarge(path)
    return await file.readFile().catch(() => {
      throw new InputError('cannot read: is it a directory?', { place: { file: path } })
    })
  } finally {
    await file.close()
  }
}

async function readAll(stream: AsyncIterable<Uint8Array>, name: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    length += chunk.length
    if (length > 4 * SCENARIO_LENGTH_MAX) throw tooLarge(name)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function tooLarge(file: string): InputError {
  return new InputError(`too large: at most ${SCENARIO_LENGTH_MAX} characters are read`, {
    place: { file },
    exitCode: EXIT.usage,
  })
}
