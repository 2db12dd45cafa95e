/** Detects version, edition and mode of the service at an address. */
import { PLAIN_TRAITS, type Target, type Traits } from './target.ts'

export type Address = Pick<Target, 'url' | 'prefix' | 'token' | 'fetch'>

/**
 * Detects the traits of a service. Changes nothing.
 *
 * @throws Error if no service answers or the service does not speak this API.
 */
export async function probeTraits(address: Address): Promise<Traits> {
  const ask = (path: string) => send(address, path)
  const tokens = await ask('/acl/tokens')
  const problem = codeOf(tokens)
  const { Config } = JSON.parse((await ask('/agent/self')).text || '{}')
  // Every version and mode has keys, and namespaces are validated before the caller.
  const namespaced = await ask('/kv/conformance?ns=default')
  // Absent before 1.4.0.
  const { Enabled: follows } = JSON.parse((await ask('/acl/replication')).text)
  return {
    ...PLAIN_TRAITS,
    // Without a token, the version may be unreadable.
    version: Config?.Version ?? PLAIN_TRAITS.version,
    edition: codeOf(namespaced) === 'namespace_unsupported' ? 'standard' : 'extended',
    acl: problem === 'acl_disabled' ? 'off' : 'on',
    mode: problem === 'legacy_mode' || problem === 'endpoint_unknown' ? 'legacy' : 'enabled',
    defaultPolicy: tokens.headers.get(`${address.prefix}Default-ACL-Policy`) === 'allow' ? 'allow' : 'deny',
    bootstrap: address.token === '' && problem === 'privilege_missing' ? 'open' : 'done',
    datacenter: follows === true ? 'secondary' : 'primary',
  }
}

interface Answer {
  readonly headers: Headers
  readonly text: string
}

async function send(
  { url, prefix, token, fetch = globalThis.fetch }: Address,
  path: string,
): Promise<Answer> {
  const headers = {
    Accept: 'application/problem+json',
    ...(token === '' ? {} : { [`${prefix}Token`]: token }),
  }
  const response = await fetch(`${url}/v1${path}`, { headers, redirect: 'manual' }).catch(
    (cause: unknown) => {
      const reason =
        cause instanceof Error ? (cause.cause instanceof Error ? cause.cause : cause).message : String(cause)
      throw new Error(`${url} cannot be reached: ${reason}`, { cause })
    },
  )
  const text = await response.text()
  try {
    JSON.parse(text)
  } catch (cause) {
    throw new Error(
      `${url} does not speak this API: GET /v1${path} answered ${response.status} without JSON`,
      { cause },
    )
  }
  return { headers: response.headers, text }
}

/** The code of a problem document; `undefined` for any other answer. */
function codeOf({ text }: Answer): string | undefined {
  return JSON.parse(text).code
}
