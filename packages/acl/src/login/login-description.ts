/** The description of a login's token. Decisions: login. */
import { AclError, limits, utf8Length } from '@latchkey/contract'
import { quote } from '../quoted-text.ts'

export type LoginMeta = Readonly<Record<string, string>>

const PREFIXES = { login: 'token created via login', oidc: 'token created via OIDC login' } as const

/** The description of a token: `token created via login`, followed by Meta as JSON. */
export function loginDescription(meta: LoginMeta, flow: keyof typeof PREFIXES = 'login'): string {
  const entries = Object.entries(meta)
  if (entries.length === 0) return PREFIXES[flow]
  const { LOGIN_META_ENTRIES_MAX: entriesMax, LOGIN_META_BYTES_MAX: bytesMax } = limits
  if (entries.length > entriesMax) throw tooLong(`${entriesMax} entries`)
  const json = goJson(entries)
  if (utf8Length(json) > bytesMax) throw tooLong(`${bytesMax} bytes of JSON`)
  return `${PREFIXES[flow]}: ${json}`
}

function tooLong(most: string): AclError {
  return new AclError('field_too_long', `Meta must have at most ${most}`, { field: 'Meta' })
}

/** Encodes a map of strings like Go: names in byte order, with HTML characters escaped. */
function goJson(entries: readonly (readonly [name: string, value: string])[]): string {
  const sorted = entries.map(([name, value]) => [name.toWellFormed(), value.toWellFormed()] as const)
  sorted.sort(([a], [b]) => compareBytes(a, b))
  return `{${sorted.map(([name, value]) => `${goString(name)}:${goString(value)}`).join(',')}}`
}

const SHORT_ESCAPES = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

function goString(text: string): string {
  return quote(text, /["\\<>&\u2028\u2029\0-\x1f]/g, SHORT_ESCAPES)
}

/** Compares in UTF-8 order, which equals code point order. JavaScript's order differs above U+FFFF. */
function compareBytes(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => Array.from(text, (character) => character.codePointAt(0) ?? 0))
  for (const [at, codePoint] of left?.entries() ?? []) {
    const difference = codePoint - (right?.[at] ?? -1)
    if (difference !== 0) return difference
  }
  return (left?.length ?? 0) - (right?.length ?? 0)
}
