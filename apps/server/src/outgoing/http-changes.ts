/** The changes of the primary datacenter, over HTTP. */
import {
  ACL_ERRORS,
  AclError,
  type AclErrorCode,
  type Changes,
  decodeUtf8,
  HEADER,
  limits,
  PROBLEM_JSON,
  parseDurationMs,
} from '@latchkey/contract'
import { type ChangesAnswer, type ChangesQuery, type ChangesSource, changesUrl } from '@latchkey/service'
import type { PrimaryAnswer, PrimaryClient } from './primary-client.ts'

interface HttpChangesOptions {
  readonly primary: PrimaryClient
  /** Reads the replication token. Rejects with a message for operators. */
  readonly token: () => Promise<string>
  /** The name under which the primary records this datacenter's position in its change log. */
  readonly reader: string
  /** The header family of requests. */
  readonly headerPrefix: string
}

/** Our own messages for the primary's refusals: its text may repeat what was sent. */
const REFUSALS: Readonly<Partial<Record<AclErrorCode, string>>> = {
  caller_unknown:
    'the replication token is unknown there: it was deleted, has expired, or is Local elsewhere',
  privilege_missing: 'the replication token lacks acl:write',
}

/** Rejects with PrimaryUnreachable; AclError for a refusal; Error for an answer that cannot be a primary's. */
export function httpChanges({ primary, token, reader, headerPrefix }: HttpChangesOptions): ChangesSource {
  return {
    async ask(query: ChangesQuery, signal: AbortSignal): Promise<ChangesAnswer> {
      const url = changesUrl(query)
      const path = `${url}${url.includes('?') ? '&' : '?'}reader=${encodeURIComponent(reader)}`
      const waitMs =
        query.wait === undefined ? 0 : parseDurationMs(query.wait) * (1 + 1 / limits.WAIT_JITTER_DIVISOR)
      const headers = {
        Accept: `${PROBLEM_JSON}, application/json`,
        [`${headerPrefix}${HEADER.token}`]: await token(),
      }
      const answer = await primary.get({ path, headers, waitMs, signal })
      if (answer.status !== 200) throw refusalOf(answer)
      const nextCursor = answer.header(`${headerPrefix}${HEADER.nextCursor}`.toLowerCase())
      return { changes: parse(answer.body) as Changes, nextCursor }
    },
  }
}

function refusalOf({ status, body }: PrimaryAnswer): Error {
  const code = codeOf(body)
  if (code === undefined) return new Error(`The primary answered with status ${status}`)
  const reason = REFUSALS[code] ?? ACL_ERRORS[code].title
  return new AclError(code, `The primary refused: ${reason}`)
}

function codeOf(body: Uint8Array): AclErrorCode | undefined {
  try {
    const { code } = JSON.parse(decodeUtf8(body)) as { readonly code?: unknown }
    return typeof code === 'string' && Object.hasOwn(ACL_ERRORS, code) ? (code as AclErrorCode) : undefined
  } catch {
    return undefined
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(body))
  } catch {
    // Its error quotes the text, which contains secrets.
    throw new Error('The primary answered with something else than JSON')
  }
}
