/** An entry of the key-value store as it is shown. Shapes of the reference world. */

import type { KvRecord } from '@latchkey/acl'
import { AclError, type KvEntry } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import type { ServiceOptions } from '../options.ts'
import { exactNumber } from '../reply/exact-number.ts'

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

/** Makes a text that may be a megabyte long: few at once, each in a turn of its own, and where clients read what there is. */
export function makeLongText<T>(
  {
    textLane,
    turns,
    service,
  }: Pick<Context, 'textLane' | 'turns'> & { service: Pick<ServiceOptions, 'roomForText'> },
  make: () => Promise<T>,
): Promise<T> {
  return textLane.run(async () => {
    await service.roomForText?.()
    await turns.next()
    return make()
  })
}

const DIGITS = new TextEncoder().encode('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
const PADDING = '='.charCodeAt(0)
const decoder = new TextDecoder()

/** Of the longest value so far: a new one for each would be as much garbage as the answer. */
let digits = new Uint8Array(0)

/** Digit by digit into bytes: `btoa` takes a string, and making one of a long value takes 30 times as long as the rest. */
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
