/** Shared by all middleware: extracts the secret, sends one check, and builds the refusal. */
import type { Client } from '../client.ts'
import { HEADER, HEADER_PREFIX_DEFAULT, PROBLEM_JSON, refuseUnknownNames } from '../contract.ts'
import { LatchkeyError, PermissionDenied } from '../errors.ts'
import type { NamesOf } from '../options.ts'
import type { AuthorizeCheck } from '../types.ts'

/** The right that a route requires. */
export interface AccessOptions<R> {
  /** The resource, such as `key` or `service`. */
  readonly resource: AuthorizeCheck['Resource']
  /** The name or path within the resource: fixed, or derived from the request. Scalar resources have none. */
  readonly segment?: string | ((request: R) => string) | undefined
  readonly access: AuthorizeCheck['Access']
  /** Extracts the secret. Default: `Authorization: Bearer`, otherwise the header `X-Service-Token`. */
  readonly secret?: ((request: R) => string | undefined) | undefined
}

const ACCESS_NAMES: NamesOf<AccessOptions<never>> = {
  resource: true,
  segment: true,
  access: true,
  secret: true,
}

/** @throws TypeError for a misspelt option: without `segment`, a route would check another right. */
export function checkAccessOptions(options: object): void {
  refuseUnknownNames('option', options, Object.keys(ACCESS_NAMES))
}

/** An answer that ends the request, in the format of RFC 9457. */
interface Denial {
  readonly status: 401 | 403 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const TOKEN_HEADER = `${HEADER_PREFIX_DEFAULT}${HEADER.token}`
const RETRY_AFTER_SECONDS = 1

/**
 * Decides whether a request may pass.
 *
 * @returns the refusal; `undefined` if the service allows the request.
 * @throws LatchkeyError if the service refuses the check itself, as in legacy mode.
 */
export async function denialOf<R>(
  client: Client,
  options: AccessOptions<R>,
  request: R,
  header: (name: string) => string | undefined,
): Promise<Denial | undefined> {
  const { resource: Resource, access: Access, segment } = options
  const secret = options.secret ? options.secret(request) : secretOf(header)
  if (secret === undefined || secret === '') return denial(401, 'No token', 'The request carries no token')
  const Segment = typeof segment === 'function' ? segment(request) : segment
  const check = Segment === undefined ? { Resource, Access } : { Resource, Access, Segment }
  const caller = callerOf(client, secret)
  if (caller === undefined) return denial(401, 'Unknown token', 'The token cannot be one')
  try {
    const [answer] = await caller.authorize([check])
    if (answer.Allow) return undefined
    const missing = {
      resource: Resource,
      access: Access,
      ...(Segment === undefined ? {} : { segment: Segment }),
    }
    return denial(403, 'Permission denied', 'The token lacks a right', { missing })
  } catch (error) {
    if (error instanceof PermissionDenied) {
      return denial(401, 'Unknown token', 'The token is unknown or has expired')
    }
    if (error instanceof LatchkeyError && (error.kind === 'unavailable' || error.kind === 'timeout')) {
      return denial(503, 'No decision', 'The access-token service does not answer')
    }
    throw error
  }
}

/** @returns undefined if the secret cannot be sent in a header. */
function callerOf(client: Client, secret: string): Client | undefined {
  try {
    return client.withToken(secret)
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

function secretOf(header: (name: string) => string | undefined): string | undefined {
  const [, bearer] = /^bearer +(\S+)$/i.exec(header('authorization') ?? '') ?? []
  return bearer ?? header(TOKEN_HEADER.toLowerCase())
}

function denial(status: Denial['status'], title: string, detail: string, facts: object = {}): Denial {
  const headers: Record<string, string> = { 'Content-Type': PROBLEM_JSON }
  if (status === 401) headers['WWW-Authenticate'] = 'Bearer'
  if (status === 503) headers['Retry-After'] = String(RETRY_AFTER_SECONDS)
  return { status, headers, body: JSON.stringify({ title, status, detail, ...facts }) }
}
