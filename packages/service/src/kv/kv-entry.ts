import type { KvRecord } from '@latchkey/acl'
import { AclError, type KvEntry, limits, utf8Length } from '@latchkey/contract'
import { requireRight } from '../caller/caller.ts'
import type { Context } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import { exactNumber } from '../reply/json-text.ts'

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

export function noSuchKey(): AclError {
  return new AclError('not_found', '')
}

export function showEntry(call: Context, entry: KvRecord): KvEntry {
  return {
    LockIndex: entry.LockIndex,
    Key: entry.Key,
    Flags: exactNumber(entry.Flags),
    Value: entry.Value.length === 0 ? null : toBase64(entry.Value),
    ...(entry.Session === undefined ? {} : { Session: entry.Session }),
    CreateIndex: entry.CreateIndex,
    ModifyIndex: entry.ModifyIndex,
    ...(call.service.edition === 'extended' ? { Namespace: entry.Namespace } : {}),
  }
}

/**
 * Renders a text of up to a megabyte: few concurrently, each in a turn of its own, and only while clients read their replies.
 */
export function makeLongText<T>(
  {
    longTexts,
    turns,
    service,
  }: Pick<Context, 'longTexts' | 'turns'> & { service: Pick<ServiceOptions, 'roomForText'> },
  make: () => Promise<T>,
): Promise<T> {
  return longTexts.run(async () => {
    await service.roomForText?.()
    await turns.next()
    return make()
  })
}

const DIGITS = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const PADDING = '='.charCodeAt(0)
const decoder = new TextDecoder()

/** Buffer as long as the longest value so far. A new one for each value would be as much garbage as the answer. */
let digits = new Uint8Array(0)

/** Encodes digit by digit into bytes: `btoa` takes a string, and converting a long value to one takes 30 times as long. */
export function toBase64(bytes: Uint8Array): string {
  const length = Math.ceil(bytes.length / 3) * 4
  if (digits.length < length) digits = new Uint8Array(length)
  for (let from = 0, to = 0; from < bytes.length; from += 3, to += 4) {
    const [a = 0, b = 0, c = 0] = [bytes[from], bytes[from + 1], bytes[from + 2]]
    digits[to] = DIGITS[a >> 2] ?? 0
    digits[to + 1] = DIGITS[((a & 3) << 4) | (b >> 4)] ?? 0
    digits[to + 2] = from + 1 < bytes.length ? (DIGITS[((b & 15) << 2) | (c >> 6)] ?? 0) : PADDING
    digits[to + 3] = from + 2 < bytes.length ? (DIGITS[c & 63] ?? 0) : PADDING
  }
  return decoder.decode(digits.subarray(0, length))
}
