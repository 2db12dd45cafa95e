/** Reads the inputs of commands: scenarios and dumps, from files or standard input, and running servers. */
import { isUtf8 } from 'node:buffer'
import type { DumpRecord } from '@latchkey/acl'
import { type DumpSource, openDump, readDump } from '../dump/read-dump.ts'
import { EXIT, type ExitCode, InputError } from '../errors.ts'
import { type CensusOptions, TokenCensus } from '../plan/token-census.ts'
import { type ConnectionOptions, readConnection } from '../scan/connection.ts'
import { HttpReader } from '../scan/http-reader.ts'
import { BUILTIN_PREFIX, builtinText } from '../scenario/builtin.ts'
import { readScenario, SCENARIO_LENGTH_MAX } from '../scenario/read.ts'
import { createProgress, type Io } from './io.ts'

export const CONNECTION_HELP = `The environment variables of the legacy command line are the defaults of these options: CONSUL_HTTP_ADDR,
CONSUL_HTTP_TOKEN, CONSUL_HTTP_TOKEN_FILE, CONSUL_HTTP_SSL, CONSUL_HTTP_SSL_VERIFY, CONSUL_CACERT, CONSUL_CLIENT_CERT,
CONSUL_CLIENT_KEY, CONSUL_TLS_SERVER_NAME, CONSUL_NAMESPACE.`

export async function openReader(options: ConnectionOptions, io: Io): Promise<HttpReader> {
  return new HttpReader(await readConnection(options, io.env), io.signal)
}

/** A file, or standard input for `-`, whose read ends when the command is interrupted: a pipe may never deliver data. */
export async function openInput(path: string, io: Io, exitCode?: ExitCode): Promise<DumpSource> {
  const { name, chunks } = await openDump(path, io.stdin, exitCode)
  return { name, chunks: abortable(chunks, io.signal) }
}

/** Yields chunks until the signal aborts and destroys the stream; racing each chunk would keep them all. */
async function* abortable<T>(chunks: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  signal.throwIfAborted()
  const stop = () => {
    if ('destroy' in chunks && typeof chunks.destroy === 'function') chunks.destroy(signal.reason)
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    for await (const chunk of chunks) {
      signal.throwIfAborted()
      yield chunk
    }
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

export async function loadScenario(path: string, io: Io) {
  const isBuiltin = path.startsWith(BUILTIN_PREFIX)
  const text = isBuiltin ? builtinText(path.slice(BUILTIN_PREFIX.length)) : await readTextFile(path, io)
  return { text, scenario: readScenario(text, path === '-' ? 'standard input' : path) }
}

/** Reads a whole text of bounded size. @throws InputError if it cannot be read, is too large, or is not UTF-8. */
export async function readTextFile(path: string, io: Io): Promise<string> {
  const { name: file, chunks } = await openInput(path, io, EXIT.usage)
  const read: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    length += chunk.length
    read.push(chunk)
    if (length > 4 * SCENARIO_LENGTH_MAX)
      throw new InputError(`too large: at most ${SCENARIO_LENGTH_MAX} characters are read`, {
        place: { file },
      })
  }
  const bytes = Buffer.concat(read)
  if (!isUtf8(bytes)) throw new InputError('the file is not UTF-8', { place: { file } })
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

export async function readRecords(source: DumpSource, io: Io, take: (record: DumpRecord) => void) {
  const progress = createProgress(io)
  const records = readDump(source, ({ bytes, tokens }) => {
    progress.show(`${tokens.toLocaleString('en-US')} tokens, ${Math.round(bytes / 1e6)} MB read`)
  })
  return takeAll(records, (group) => group.forEach(take)).finally(progress.clear)
}

export async function countTokens(source: DumpSource, options: CensusOptions, io: Io): Promise<TokenCensus> {
  const census = new TokenCensus(options)
  census.contents = await readRecords(source, io, (record) => census.add(record))
  return census
}

export async function countScanned<T>(
  records: AsyncGenerator<readonly DumpRecord[], T>,
  options: CensusOptions,
  io: Io,
  each?: (group: readonly DumpRecord[]) => void,
): Promise<{ readonly census: TokenCensus; readonly end: T }> {
  const census = new TokenCensus(options)
  const progress = createProgress(io)
  let count = 0
  const counting = takeAll(records, (group) => {
    for (const record of group) census.add(record)
    each?.(group)
    count += group.length
    progress.show(`${count.toLocaleString('en-US')} tokens read`)
  })
  return { end: await counting.finally(progress.clear), census }
}

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
