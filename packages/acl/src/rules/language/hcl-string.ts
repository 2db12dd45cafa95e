/** Decodes and encodes HCL 1 quoted strings. */
import { decodeEscapes, quote } from '../../quoted-text.ts'
import { type Place, rulesError, shown } from './syntax-error.ts'

/** An invalid escape, inside an interpolation. */
const NO_ESCAPE = /\\[^abfnrtv\\"0-7xuU]/

/**
 * Decodes a quoted string. The text inside `${…}` is literal, as in HCL 1, but its escapes must be valid.
 * @param quoted with its quotes.
 * @param place the start of the string, for errors.
 */
export function decodeHclString(quoted: string, place: Place): string {
  const text = quoted.slice(1, -1)
  const refuse = (written: string, areBytes = false) =>
    areBytes
      ? rulesError(place, `bytes that are not UTF-8: ${shown(written)}`, 'escapes that form valid Unicode')
      : rulesError(place, `the escape ${shown(written)}`, 'a known escape such as \\" \\\\ \\n \\u00e9')
  let value = ''
  let start = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') {
      at++
    } else if (character === '{' && (depth > 0 || text.charAt(at - 1) === '$')) {
      if (depth === 0) {
        value += decodeEscapes(text.slice(start, at - 1), refuse)
        start = at - 1
      }
      depth++
    } else if (character === '}' && depth > 0) {
      depth--
      if (depth > 0) continue
      const interpolation = text.slice(start, at + 1)
      const fault = NO_ESCAPE.exec(interpolation)
      if (fault !== null) throw refuse(fault[0])
      value += interpolation
      start = at + 1
    }
  }
  return value + decodeEscapes(text.slice(start), refuse)
}

/** The inverse of {@link decodeHclString}. A bare `${` would begin an interpolation. */
export function encodeHclString(text: string): string {
  return quote(text, /["\\]|\$(?=\{)|\p{Cc}/gu, { '"': '\\"', '\\': '\\\\' })
}
