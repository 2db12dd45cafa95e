/** IDs of legacy tokens, which are secrets, replaced by hashes: in findings, and in dumps to share. */
import { createHash } from 'node:crypto'
import { ANONYMOUS_TOKEN_SECRET_ID } from '@latchkey/acl'
import { REDACTED_SECRET_ID } from '@latchkey/contract'

const PREFIX = 'sha256:'
const HIDDEN = /^sha256:[0-9a-f]{64}$/
/** IDs that the reader of a dump knows, and that open nothing. */
const NO_SECRETS = new Set(['', ANONYMOUS_TOKEN_SECRET_ID, REDACTED_SECRET_ID])
/** Digits of a hash that findings show. */
const HASH_LENGTH = 12

/** The ID as a dump to share holds it: a hash in full, so that equal IDs stay equal. The anonymous token has no secret. */
export function hideId(id: string): string {
  return NO_SECRETS.has(id) || HIDDEN.test(id) ? id : `${PREFIX}${digest(id)}`
}

/** The beginning of the hash of an ID, also of one that is hidden: `printf %s "$ID" | sha256sum | cut -c 1-12`. */
export function hashOfId(id: string): string {
  return (HIDDEN.test(id) ? id.slice(PREFIX.length) : digest(id)).slice(0, HASH_LENGTH)
}

/** The name of a token, empty if it holds the ID: some tokens are named after their own secret. */
export function nameWithoutId(name: string, id: unknown): string {
  if (typeof id !== 'string' || NO_SECRETS.has(id)) return name
  return name.toLowerCase().includes(id.toLowerCase()) ? '' : name
}

function digest(id: string): string {
  return createHash('sha256').update(id).digest('hex')
}
