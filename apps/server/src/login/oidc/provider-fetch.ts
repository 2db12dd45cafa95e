/**
 * The `fetch` of the OpenID client, which follows the rules for requests to providers and limits the size of their
 * answers.
 */
import type { CustomFetch } from 'openid-client'
import { type Outgoing, OutgoingError } from '../../outgoing/outgoing.ts'

const DISCOVERY_PATH = '/.well-known/openid-configuration'
const DISCOVERY_BYTES_MAX = 262_144
const ANSWER_BYTES_MAX = 1_048_576
/** Statuses whose answers have no body. */
const BODILESS: ReadonlySet<number> = new Set([204, 205, 304])

interface ProviderFetchOptions {
  /** PEM certificates that replace the system's. */
  readonly ca: string | undefined
  /** Sent exactly as given: the library would take it from a parsed URL, without its query. */
  readonly redirectUri?: string
}

/** Never follows redirects, because {@link Outgoing} does not. Passes its errors through. */
export function providerFetch(outgoing: Outgoing, { ca, redirectUri }: ProviderFetchOptions): CustomFetch {
  return async (url, { body, headers, method }) => {
    if (body instanceof URLSearchParams && body.has('redirect_uri') && redirectUri !== undefined) {
      body.set('redirect_uri', redirectUri)
    }
    const answer = await outgoing.send({
      url,
      method,
      headers,
      ...(body === undefined || body === null ? {} : { body: textOf(body) }),
      ca,
      bytesMax: url.endsWith(DISCOVERY_PATH) ? DISCOVERY_BYTES_MAX : ANSWER_BYTES_MAX,
    })
    const { status, headers: answered } = answer
    // `Response` takes no other status.
    if (status < 200 || status > 599) throw new OutgoingError('status not 200', { status })
    const read = ['content-type', 'www-authenticate'].flatMap((name) => {
      const value = answered[name]
      return typeof value === 'string' ? [[name, value] as [string, string]] : []
    })
    return new Response(BODILESS.has(status) ? null : Buffer.from(answer.body), { status, headers: read })
  }
}

/** The library sends only these two kinds of body. */
function textOf(body: unknown): string {
  if (body instanceof URLSearchParams || typeof body === 'string') return body.toString()
  throw new TypeError('a request to an OpenID provider has a body of another kind')
}
