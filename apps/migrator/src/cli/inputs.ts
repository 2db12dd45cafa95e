/** Reads the inputs of commands: scenarios from files, standard input or the built-in ones, dumps, versions, seeds. */

import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import { parseServiceVersion, readVersion, type ServiceVersion } from '@latchkey/contract'
import { InvalidArgumentError } from 'commander'
import { readDump } from '../dump/read-dump.ts'
import type { DumpSource } from '../dump/source.ts'
import { EXIT, InputError } from '../errors.ts'
import { TokenCensus } from '../plan/token-census.ts'
import { BUILTIN_PREFIX, readBuiltin } from '../scenario/builtin.ts'
import { readScenario, SCENARIO_LENGTH_MAX } from '../scenario/read.ts'
import type { Scenario } from '../scenario/scenario.ts'
import { abortable } from './abortable.ts'
import { createProgress, type Io } from './io.ts'

/** A scenario by path, `-` for standard input, or `builtin:name`. */
export async function loadScenario(path: string, io: Io): Promise<Scenario> {
  if (path.startsWith(BUILTIN_PREFIX)) return readBuiltin(path.slice(BUILTIN_PREFIX.length))
  const bytes =
    path === '-' ? await readAll(abortable(io.stdin, io.signal), 'standard input') : await readFileOf(path)
  const file = path === '-' ? 'standard input' : path
  if (!isUtf8(bytes)) throw new InputError('the scenario is not UTF-8', { place: { file } })
  return readScenario(bytes.toString('utf8').replace(/^\uFEFF/, ''), file)
}

/** Reads a dump to its end and counts its tokens. */
export async function countTokens(
  source: DumpSource,
  options: { readonly widening: 'keep' | 'comment-out'; readonly placesMax: number },
  io: Io,
): Promise<TokenCensus> {
  const census = new TokenCensus(options)
  const progress = createProgress(io)
  const chunks = abortable(source.chunks, io.signal)
  const records = readDump({ ...source, chunks }, ({ bytes, tokens }) => {
    progress.show(`${tokens.toLocaleString('en-US')} tokens, ${Math.round(bytes / 1e6)} MB read`)
  })
  try {
    for await (const group of records) {
      for (const record of group) census.add(record)
    }
  } finally {
    progress.clear()
  }
  return census
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

/** Parses an option such as `7` or `1-10000`. */
export function seedsOption(text: string): { readonly from: number; readonly to: number } {
  const [, from, to = from] = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(text) ?? []
  if (from === undefined || Number(to) < Number(from)) {
    throw new InvalidArgumentError('Write a seed, or a range of seeds such as 1-10000.')
  }
  return { from: Number(from), to: Number(to) }
}

/** Reads a credential from a file or the environment, never from the command line, which other users can see. */
export async function loadToken(file: string | undefined, io: Io): Promise<string | undefined> {
  if (file === undefined) return io.env.LATCHKEY_TOKEN
  return (await readFileOf(file)).toString('utf8').trim()
}

/** Reads a whole file of bounded size. @throws InputError if it cannot be read or is too large. */
async function readFileOf(path: string): Promise<Buffer> {
  const file = await open(path).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error)
    throw new InputError(`cannot read: ${code}`, { place: { file: path } })
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
