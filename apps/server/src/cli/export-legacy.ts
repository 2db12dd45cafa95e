/** `latchkey-server export`: writes the legacy tokens of a server, in the format that `import` reads. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { visible } from '@latchkey/contract'
import { hasCode } from '../has-code.ts'
import { StartError } from '../start-error.ts'
import { type Environment, request } from './server-address.ts'

const EXIT_FAILED = 1

/** Streams: the list may be larger than memory. @returns the exit code: 0 written, 1 if its reader left. */
export async function exportLegacyTokens(env: Environment): Promise<number> {
  const response = await request('legacy.export', env)
  if (response.body === null) return EXIT_FAILED
  try {
    await pipeline(Readable.fromWeb(response.body), shown, process.stdout, { end: false })
  } catch (cause) {
    // The reader closed the pipe, as `head` does.
    if (hasCode(cause, 'EPIPE')) return EXIT_FAILED
    throw new StartError('The answer broke off: the output is incomplete.', { cause })
  }
  return 0
}

/** A terminal gets no control characters of the answer; a file gets its bytes. */
async function* shown(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array | string> {
  const decoder = new TextDecoder()
  for await (const piece of pieces)
    yield process.stdout.isTTY ? visible(decoder.decode(piece, { stream: true })) : piece
}
