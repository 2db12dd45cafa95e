/** The running server that a command talks to, and the token it presents. */
import { buildPath, ENDPOINTS, HEADER, HEADER_PREFIX_DEFAULT } from '@latchkey/contract'
import { StartError } from '../start-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

const ADDRESS_DEFAULT = 'http://127.0.0.1:8500'
/** Maximum time of a request with its answer, which may hold every token. */
const REQUEST_MS_MAX = 3_600_000

/** Sends a request to the server at `LATCHKEY_ADDR`. @throws StartError if none answers, or it refuses. */
export async function request(
  endpoint: Parameters<typeof buildPath>[0],
  env: Environment,
  { query = '', body }: { readonly query?: string; readonly body?: string | ReadableStream<Uint8Array> } = {},
): Promise<Response> {
  const { LATCHKEY_ADDR: address, LATCHKEY_TOKEN: token } = env
  const url = URL.parse(`/v1${buildPath(endpoint)}${query}`, address || ADDRESS_DEFAULT)
  if (!url) throw new StartError('LATCHKEY_ADDR is not a URL; write one such as http://127.0.0.1:8500.')
  const response = await fetch(url, {
    method: ENDPOINTS[endpoint].method,
    headers: { [`${HEADER_PREFIX_DEFAULT}${HEADER.token}`]: token ?? '' },
    signal: AbortSignal.timeout(REQUEST_MS_MAX),
    redirect: 'error',
    // A stream is sent before its answer is read.
    duplex: 'half',
    ...(body === undefined ? {} : { body }),
  }).catch((cause: unknown) => {
    throw new StartError(`No server answers at ${url.origin}: start one, or set LATCHKEY_ADDR.`, { cause })
  })
  if (response.ok) return response
  throw new StartError((await response.text()) || `The server answered ${response.status}.`)
}
