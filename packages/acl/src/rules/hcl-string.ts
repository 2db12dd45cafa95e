/** What a quoted string of HCL 1 means, and how a text is written as one. */
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

/** Bytes one by one (`\x41`, `\101`), one character by its number (`\u0041`, `\U00000041`), or any other escape. */
const ESCAPE =
  /(?<bytes>(?:\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2})+)|\\(?:u(?<short>[0-9a-fA-F]{4})|U(?<long>[0-9a-fA-F]{8})|(?<letter>.?))/gsu
const BYTE = /\\(?:x([0-9a-fA-F]{2})|([0-7]{3}))/g
/** What may not follow a backslash. */
const NO_ESCAPE = /\\[^abfnrtv\\"0-7xuU]/

/**
 * The value of a quoted string. What stands in `${…}` is taken as it stands, as HCL 1 does.
 *
 * @param quoted with its quotes.
 * @param place where it begins, for the error.
 * @throws AclError `rules_invalid` for an escape that is unknown or names no character.
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

/** Escapes in an interpolation are not decoded, yet must be escapes. */
function checkInterpolation(part: string, place: Place): string {
  const fault = NO_ESCAPE.exec(part)
  if (fault !== null) throw escapeError(fault[0], place)
  return part
}

function decodeEscapes(part: string, place: Place): string {
  return part.replaceAll(ESCAPE, (escaped: string, ...rest: unknown[]) => {
    const { bytes, short, long, letter } = rest.at(-1) as Readonly<Record<string, string | undefined>>
    if (bytes !== undefined) return decodeBytes(bytes, place)
    if (letter !== undefined) {
      const simple = SIMPLE_ESCAPES.get(letter)
      if (simple === undefined) throw escapeError(escaped, place)
      return simple
    }
    const codePoint = Number.parseInt(short ?? long ?? '', 16)
    if (!isCharacter(codePoint)) throw escapeError(escaped, place)
    return String.fromCodePoint(codePoint)
  })
}

function escapeError(escaped: string, place: Place): Error {
  return rulesError(place, `the escape ${shown(escaped)}`, 'a known escape such as \\" \\\\ \\n \\u00e9')
}

/** Half of a surrogate pair is no character; names are compared as UTF-8 (reference 6.3). */
function isCharacter(codePoint: number): boolean {
  return codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff)
}

/** Bytes given one by one must together be whole characters of UTF-8. */
function decodeBytes(escaped: string, place: Place): string {
  const bytes = [...escaped.matchAll(BYTE)].map(([, hex, octal]) =>
    hex === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(hex, 16),
  )
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    throw rulesError(
      place,
      `bytes that are not UTF-8: ${shown(escaped)}`,
      'escapes that make whole characters',
    )
  }
}

/** A text as a quoted string that {@link decodeHclString} reads back. */
export function encodeHclString(text: string): string {
  // `${` would begin a part that is taken as it stands; written as an escape, the dollar does not.
  const escaped = text.replaceAll(/["\\]|\$(?=\{)|\p{Cc}/gu, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}
