/** Decodes and encodes HCL 1 quoted strings. */
import { type Place, rulesError, shown } from './syntax-error.ts'

const SIMPLE_ESCAPES: ReadonlyMap<string, string> = new Map([
  ['a', '\x07'],
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['v', '\v'],
  ['\\', '\\'],
  ['"', '"'],
])

/** Byte escapes: `\x41`, `\101`. Each has four characters. */
const BYTES = /(?:\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2})+/y
const BYTE_LENGTH = 4
/** Code point escapes: `\u0041`, `\U00000041`. */
const CODE_POINT = /\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})/y
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
/** An invalid escape. */
const NO_ESCAPE = /\\[^abfnrtv\\"0-7xuU]/

/**
 * Decodes a quoted string. The text inside `${…}` is literal, as in HCL 1.
 *
 * @param quoted with its quotes.
 * @param place the start of the string, for errors.
 * @throws AclError `rules_invalid` for an unknown escape or an invalid code point.
 */
export function decodeHclString(quoted: string, place: Place): string {
  const text = quoted.slice(1, -1)
  if (!text.includes('\\')) return text
  let value = ''
  for (const { part, isInterpolation } of splitInterpolations(text)) {
    value += isInterpolation ? checkInterpolation(part, place) : decodeEscapes(part, place)
  }
  return value
}

/** The parts of a text inside and outside `${…}`, in order. */
function* splitInterpolations(text: string): Generator<{ part: string; isInterpolation: boolean }> {
  let start = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') {
      at++
    } else if (character === '{' && (depth > 0 || text.charAt(at - 1) === '$')) {
      if (depth === 0) {
        yield { part: text.slice(start, at - 1), isInterpolation: false }
        start = at - 1
      }
      depth++
    } else if (character === '}' && depth > 0) {
      depth--
      if (depth > 0) continue
      yield { part: text.slice(start, at + 1), isInterpolation: true }
      start = at + 1
    }
  }
  yield { part: text.slice(start), isInterpolation: false }
}

/** Checks an interpolation, whose escapes are not decoded but must be valid. */
function checkInterpolation(part: string, place: Place): string {
  const fault = NO_ESCAPE.exec(part)
  if (fault !== null) throw escapeError(fault[0], place)
  return part
}

/** Uses a loop instead of one regular expression, because a text may have half a million escapes. */
function decodeEscapes(part: string, place: Place): string {
  let value = ''
  let start = 0
  for (let at = part.indexOf('\\'); at !== -1; at = part.indexOf('\\', start)) {
    value += part.slice(start, at)
    const simple = SIMPLE_ESCAPES.get(part.charAt(at + 1))
    if (simple !== undefined) {
      value += simple
      start = at + 2
      continue
    }
    const escaped = matchAt(BYTES, part, at) ?? matchAt(CODE_POINT, part, at)
    if (escaped === undefined) {
      throw escapeError(`\\${String.fromCodePoint(...codePointsAt(part, at + 1))}`, place)
    }
    value += isBytes(escaped) ? decodeBytes(escaped, place) : decodeCodePoint(escaped, place)
    start = at + escaped.length
  }
  return value + part.slice(start)
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : undefined
}

/** The code point at an index; empty at the end of the text. */
function codePointsAt(text: string, at: number): number[] {
  const codePoint = text.codePointAt(at)
  return codePoint === undefined ? [] : [codePoint]
}

function isBytes(escaped: string): boolean {
  const letter = escaped.charAt(1)
  return letter !== 'u' && letter !== 'U'
}

function decodeCodePoint(escaped: string, place: Place): string {
  const codePoint = Number.parseInt(escaped.slice(2), 16)
  if (!isCharacter(codePoint)) throw escapeError(escaped, place)
  return String.fromCodePoint(codePoint)
}

function escapeError(escaped: string, place: Place): Error {
  return rulesError(place, `the escape ${shown(escaped)}`, 'a known escape such as \\" \\\\ \\n \\u00e9')
}

/** Rejects surrogates, because names are compared as UTF-8. */
function isCharacter(codePoint: number): boolean {
  return codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff)
}

/** Adjacent byte escapes must form valid UTF-8. */
function decodeBytes(escaped: string, place: Place): string {
  const bytes = new Uint8Array(escaped.length / BYTE_LENGTH)
  for (let i = 0; i < bytes.length; i++) {
    const digits = escaped.slice(BYTE_LENGTH * i + 1, BYTE_LENGTH * (i + 1))
    bytes[i] = digits.startsWith('x') ? Number.parseInt(digits.slice(1), 16) : Number.parseInt(digits, 8)
  }
  const [only = 0] = bytes
  if (bytes.length === 1 && only < 0x80) return String.fromCharCode(only)
  try {
    return utf8.decode(bytes)
  } catch {
    throw rulesError(place, `bytes that are not UTF-8: ${shown(escaped)}`, 'escapes that form valid Unicode')
  }
}

/** The inverse of {@link decodeHclString}. */
export function encodeHclString(text: string): string {
  // A bare `${` would begin an interpolation.
  const escaped = text.replaceAll(/["\\]|\$(?=\{)|\p{Cc}/gu, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}
