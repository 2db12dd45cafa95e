/** Replaces IDs of legacy tokens, which are secrets, by hashes in findings and in shareable dumps. */
import { createHash } from 'node:crypto'
import { ANONYMOUS_TOKEN_SECRET_ID, hasLinks } from '@latchkey/acl'
import { REDACTED_SECRET_ID } from '@latchkey/contract'

const PREFIX = 'sha256:'
const HIDDEN = /^sha256:[0-9a-f]{64}$/
/** IDs with a special meaning to the reader of a dump. They are not secrets. */
const NO_SECRETS = new Set(['', ANONYMOUS_TOKEN_SECRET_ID, REDACTED_SECRET_ID])
const HASH_LENGTH = 12

export function withoutSecrets(record: object): object {
  const { SecretID: _, ...rest } = record as { readonly SecretID?: unknown }
  if (!('ID' in rest) || typeof rest.ID !== 'string') return rest
  const { ID } = rest
  const isNamed = 'Name' in rest && typeof rest.Name === 'string'
  return { ...rest, ...(isNamed ? { Name: nameWithoutId(String(rest.Name), ID) } : {}), ID: hideId(ID) }
}

/** The ID for a shareable dump: a full hash, so that equal IDs remain equal. The anonymous token keeps its public ID. */
function hideId(id: string): string {
  return NO_SECRETS.has(id) || HIDDEN.test(id) ? id : `${PREFIX}${digest(id)}`
}

/** The hash prefix of an ID, which may already be hidden: `printf %s "$ID" | sha256sum | cut -c 1-12`. */
export function hashOfId(id: string): string {
  return (HIDDEN.test(id) ? id.slice(PREFIX.length) : digest(id)).slice(0, HASH_LENGTH)
}

/** The name of a token; empty if it contains the ID, because some tokens are named after their secret. */
export function nameWithoutId(name: string, id: unknown): string {
  if (typeof id !== 'string' || NO_SECRETS.has(id)) return name
  return name.toLowerCase().includes(id.toLowerCase()) ? '' : name
}

export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** @param record from the token API or a dump. The legacy rules of a token with links are ignored. */
export function isLinked(record: object): boolean {
  const fields = record as Readonly<Record<string, unknown>>
  const list = (name: string) => (Array.isArray(fields[name]) ? fields[name] : [])
  return hasLinks({
    Policies: list('Policies'),
    Roles: list('Roles'),
    ServiceIdentities: list('ServiceIdentities'),
    NodeIdentities: list('NodeIdentities'),
  })
}
