/** Where a dump comes from: a file, standard input, or the list of a running legacy server. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { HEADER_PREFIXES_DEFAULT } from '@latchkey/contract'
import { EXIT, InputError } from '../errors.ts'

export interface DumpSource {
  /** Its name in errors, never a URL with a credential. */
  readonly name: string
  readonly chunks: AsyncIterable<Uint8Array>
}

const CHUNK_BYTES = 64 * 1024
/** Timeout for the beginning of a server's answer. */
const ANSWER_MS_MAX = 30_000

/** A file, or standard input for `-`. @throws InputError where there is no such file. */
export async function openDump(path: string, stdin: Readable): Promise<DumpSource> {
  if (path === '-') return { name: 'standard input', chunks: stdin }
  const found = await stat(path).catch((error: unknown) => {
    throw new InputError(`cannot read the dump: ${codeOf(error)}`, {
      place: { file: path },
      exitCode: EXIT.failed,
    })
  })
  if (found.isDirectory()) {
    throw new InputError('cannot read the dump: it is a directory', {
      place: { file: path },
      exitCode: EXIT.failed,
    })
  }
  return { name: path, chunks: createReadStream(path, { highWaterMark: CHUNK_BYTES }) }
}

/**
 * The legacy list of a running server, `GET /v1/acl/list`.
 *
 * @param token a management token; it travels in a header and is never shown.
 * @throws InputError where the server does not answer with a list.
 */
export async function fetchDump(
  url: string,
  token: string | undefined,
  signal: AbortSignal,
): Promise<DumpSource> {
  const address = listAddress(url)
  const name = `${address.origin}${address.pathname}`
  const fail = (message: string) => new InputError(message, { place: { file: name }, exitCode: EXIT.failed })
  const headers = Object.fromEntries(
    token === undefined ? [] : HEADER_PREFIXES_DEFAULT.map((prefix) => [`${prefix}Token`, token]),
  )
  // The timeout covers only the beginning of the answer; the list itself may take longer.
  const waiting = new AbortController()
  const timer = setTimeout(() => waiting.abort(), ANSWER_MS_MAX)
  const response = await fetch(address, {
    headers,
    redirect: 'error',
    signal: AbortSignal.any([waiting.signal, signal]),
  })
    .catch((error: unknown) => {
      throw fail(`the server does not answer: ${codeOf(error)}`)
    })
    .finally(() => clearTimeout(timer))
  if (response.status === 403) {
    throw fail('403: the token may not list tokens; give a management token with --token-file')
  }
  if (response.status === 410)
    throw fail('410: this server runs 1.11 or later and has no legacy list any more')
  if (response.status !== 200 || response.body === null) throw fail(`the server answered ${response.status}`)
  return { name, chunks: response.body }
}

function listAddress(url: string): URL {
  try {
    const address = new URL(url)
    if (address.protocol !== 'http:' && address.protocol !== 'https:') throw new TypeError('scheme')
    address.username = ''
    address.password = ''
    address.search = ''
    address.pathname = `${address.pathname.replace(/\/+$/, '').replace(/\/v1$/, '')}/v1/acl/list`
    return address
  } catch {
    throw new InputError('--from needs the address of a server, such as http://127.0.0.1:8500')
  }
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const cause = error.cause instanceof Error ? error.cause : error
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}
