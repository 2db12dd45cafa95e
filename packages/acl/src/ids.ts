/** The format of ids. Spec 2.1; decisions: tokens. */
import { AclError } from '@latchkey/contract'
import { RESERVED_ID_PREFIX } from './builtin.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Whether a text has the form of a UUID: 36 characters, hexadecimal in either case, with dashes in place. */
export function isUuid(text: string): boolean {
  return UUID.test(text)
}

/**
 * The key by which an id is unique: UUIDs compare case-insensitively; any other text is the ID of a legacy token and
 * compares exactly. Decisions: tokens.
 */
export function idKey(id: string): string {
  return /[A-F]/.test(id) && isUuid(id) ? id.toLowerCase() : id
}

export function isReservedId(id: string): boolean {
  return id.toLowerCase().startsWith(RESERVED_ID_PREFIX)
}

/**
 * Checks an id that the caller chose.
 * @param field the body's field, which the error names. The error omits the value: it may be a secret.
 */
export function checkChosenId(id: string, field: 'AccessorID' | 'SecretID'): void {
  if (!isUuid(id)) throw new AclError('id_invalid', `Invalid Token: ${field} is not a valid UUID`, { field })
  if (isReservedId(id)) {
    const message = `Invalid Token: ${field}: UUIDs with the prefix "${RESERVED_ID_PREFIX}" are reserved`
    throw new AclError('id_reserved', message, { field })
  }
}

/** Checks that an id from a path is a UUID. */
export function checkPathId(id: string, what: string, field: string): void {
  if (id === '') throw new AclError('id_missing', `Missing ${what} ${field}`, { field })
  if (!isUuid(id)) {
    const message = `${what} ${field} in the path is not a valid UUID: it must be 36 characters of hexadecimal digits and dashes`
    throw new AclError('id_invalid', message, { field })
  }
}

const NAMESPACE_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/

export function isNamespaceName(text: string): boolean {
  return NAMESPACE_NAME.test(text)
}
