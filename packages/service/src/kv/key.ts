import { AclError, limits, utf8Length } from '@latchkey/contract'
import { requireRight } from '../caller/caller.ts'
import type { Context } from '../handler.ts'

export function requireKey({ Key: key }: { readonly Key: string }): string {
  if (key === '') throw new AclError('id_missing', 'Missing key name', { field: 'Key' })
  if (utf8Length(key) > limits.KV_KEY_BYTES_MAX) {
    throw new AclError('field_too_long', `Key must be at most ${limits.KV_KEY_BYTES_MAX} bytes long`, {
      field: 'Key',
    })
  }
  return key
}

export function requireKeyRight(
  { caller, namespace }: Context,
  segment: string,
  access: 'read' | 'write' | 'write-prefix',
): void {
  requireRight(caller, namespace, { resource: 'key', segment, access })
}
