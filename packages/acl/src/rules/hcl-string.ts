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

/** What may follow a backslash. */
const ESCAPED = /[abfnrtv\\"0-7xuU]/

/** Escapes by number: of one byte (`\x41`, `\101`) and of one character (`\u0041`, `\U00000041`). */
const BYTE_ESCAPE = /\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2}))/y
const CHARACTER_ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))/y

/**
 * The value of a quoted string. Inside `${…}` the text is taken as it stands, as HCL 1 does.
 *
 * @param quoted with its quotes.
 * @param place where it begins, for the error.
 * @throws AclError `rules_invalid` for an escape that is unknown or names no character.
 */
export function decodeHclString(quoted: string, place: Place): string {
  const text = quoted.slice(1, -1)
  if (!text.includes('\\')) return text
  let value = ''
  let bytes: number[] = []
  let depth = 0
  const flush = (): void => {
    if (bytes.length === 0) return
    value += decodeBytes(bytes, place, quoted)
    bytes = []
  }
  for (let at = 0; at < text.length; ) {
    const character = text.charAt(at)
    if (character !== '\\') {
      flush()
      if (character === '{' && (depth > 0 || text.charAt(at - 1) === '$')) depth++
      else if (character === '}' && depth > 0) depth--
      value += character
      at++
      continue
    }
    if (depth > 0 && ESCAPED.test(text.charAt(at + 1))) {
      value += text.slice(at, at + 2)
      at += 2
      continue
    }
    const simple = SIMPLE_ESCAPES.get(text.charAt(at + 1))
    if (simple !== undefined) {
      flush()
      value += simple
      at += 2
      continue
    }
    const byte = execAt(BYTE_ESCAPE, text, at)
    if (byte !== null) {
      bytes.push(byte[1] === undefined ? Number.parseInt(byte[2] ?? '', 8) : Number.parseInt(byte[1], 16))
      at += byte[0].length
      continue
    }
    flush()
    const numbered = execAt(CHARACTER_ESCAPE, text, at)
    const codePoint = Number.parseInt(numbered?.[1] ?? numbered?.[2] ?? '', 16)
    if (numbered === null || !isCharacter(codePoint)) {
      throw rulesError(
        place,
        `the escape ${shown(text.slice(at, at + 10))}`,
        'a known escape such as \\" \\\\ \\n \\u00e9',
      )
    }
    value += String.fromCodePoint(codePoint)
    at += numbered[0].length
  }
  flush()
  return value
}

function execAt(pattern: RegExp, text: string, offset: number): RegExpExecArray | null {
  pattern.lastIndex = offset
  return pattern.exec(text)
}

/** Half of a surrogate pair is no character; names are compared as UTF-8 (reference 6.3). */
function isCharacter(codePoint: number): boolean {
  return codePoint <= 0x10ffff && !(codePoint >= 0xd800 && codePoint <= 0xdfff)
}

/** Bytes given one by one must together be whole characters of UTF-8. */
function decodeBytes(bytes: readonly number[], place: Place, quoted: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes))
  } catch {
    throw rulesError(
      place,
      `bytes that are not UTF-8 in ${shown(quoted)}`,
      'escapes that make whole characters',
    )
  }
}

/** A text as a quoted string that {@link decodeHclString} reads back. */
export function encodeHclString(text: string): string {
  // `${` would begin a part that is taken as it stands; written as an escape, the dollar does not.
  const escaped = text.replace(/["\\]|\$(?=\{)|\p{Cc}/gu, (character) => {
    if (character === '"' || character === '\\') return `\\${character}`
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}
