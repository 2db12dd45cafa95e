/** Quoted strings in selectors: Go's syntax without `\"`. */

const SIMPLE_ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
}

const ESCAPE =
  /\\(?:([abfnrtv\\])|x([0-9a-fA-F]{2})|([0-3][0-7]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|[^\\\n]+/y

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a quoted string.
 *
 * @param quoted with its quotes, both `"` or both backquotes.
 * @returns `undefined` for an unknown escape, a line end between `"`, and escaped bytes that are not UTF-8.
 */
export function decodeGoString(quoted: string): string | undefined {
  const text = quoted.slice(1, -1)
  if (quoted.startsWith('`')) return text.replaceAll('\r', '')
  if (!/[\\\n]/.test(text)) return text
  const bytes: number[] = []
  ESCAPE.lastIndex = 0
  while (ESCAPE.lastIndex < text.length) {
    const piece = ESCAPE.exec(text)
    if (piece === null) return undefined
    const [literal, simple, hex, octal, short, long] = piece
    const codePoint = short ?? long
    if (simple !== undefined) bytes.push(SIMPLE_ESCAPES[simple] ?? 0)
    else if (hex !== undefined) bytes.push(Number.parseInt(hex, 16))
    else if (octal !== undefined) bytes.push(Number.parseInt(octal, 8))
    else if (codePoint === undefined) bytes.push(...encoder.encode(literal))
    else {
      const character = characterOf(Number.parseInt(codePoint, 16))
      if (character === undefined) return undefined
      bytes.push(...encoder.encode(character))
    }
  }
  try {
    return decoder.decode(Uint8Array.from(bytes))
  } catch {
    return undefined
  }
}

/** Refuses numbers above U+10FFFF, and surrogates. */
function characterOf(codePoint: number): string | undefined {
  if (codePoint > 0x10ffff || (codePoint >= 0xd800 && codePoint <= 0xdfff)) return undefined
  return String.fromCodePoint(codePoint)
}

/** Quotes a text; the inverse of {@link decodeGoString}. */
export function encodeGoString(text: string): string {
  const escaped = text.replaceAll(/["\\]|\p{Cc}/gu, (character) => {
    if (character === '\\') return '\\\\'
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}
