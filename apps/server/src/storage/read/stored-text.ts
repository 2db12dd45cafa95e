/**
 * Escapes what PostgreSQL's `text` does not allow: U+0000 and lone surrogates, which bodies may carry (decisions:
 * decoding). One write that fails in the database would fail its whole commit group.
 */

/** U+001A, "substitute". Followed by four hexadecimal digits of one UTF-16 unit. */
const ESCAPE = '\u001a'
const UNSTORABLE = /[\u0000\u001a]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g
const ESCAPED = /\u001a([0-9a-f]{4})/g

/** Escapes what PostgreSQL cannot store. Nearly always returns the same string. */
export function storeText(text: string): string {
  if (text.isWellFormed() && !text.includes('\u0000') && !text.includes(ESCAPE)) return text
  return text.replace(UNSTORABLE, (unit) => ESCAPE + unit.charCodeAt(0).toString(16).padStart(4, '0'))
}

export function readText(stored: string): string {
  if (!stored.includes(ESCAPE)) return stored
  return stored.replace(ESCAPED, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** As PostgreSQL reads and writes `bytea` in text. */
export function storeBytes(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

/** Undoes {@link storeBytes}. Returns its own memory, never a view of the pool that Node cuts small buffers from. */
export function readBytes(stored: string): Buffer {
  const bytes = Buffer.allocUnsafeSlow((stored.length - 2) / 2)
  bytes.write(stored.slice(2), 'hex')
  return bytes
}
