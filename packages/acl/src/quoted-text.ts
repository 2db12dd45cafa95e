/** Quoted strings with the escapes of Go, which selectors, HCL 1 and Go's JSON share. */

const SIMPLE_ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '"': '"',
}

/** Adjacent byte escapes (`\x41`, `\101`), a simple escape, a code point (`\u0041`, `\U00000041`), or an invalid escape. */
const ESCAPE =
  /((?:\\x[0-9a-fA-F]{2}|\\[0-3][0-7]{2})+)|\\([abfnrtv\\"])|\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8}))|\\.?/gsu
const BYTE = /\\(?:x(..)|(...))/g
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a text without its quotes. @param refuse builds the error for an unknown escape, for a code point
 * that is no character, and for bytes that are not UTF-8.
 */
export function decodeEscapes(text: string, refuse: (written: string, areBytes: boolean) => Error): string {
  if (!text.includes('\\')) return text
  return text.replace(
    ESCAPE,
    (written: string, bytes?: string, simple?: string, short?: string, long?: string) => {
      if (simple !== undefined) return SIMPLE_ESCAPES[simple] ?? ''
      const character = bytes === undefined ? characterOf(short ?? long) : decodeBytes(bytes)
      if (character === undefined) throw refuse(written, bytes !== undefined)
      return character
    },
  )
}

/** @returns undefined for a number above U+10FFFF, and for a surrogate, because names are compared as UTF-8. */
function characterOf(hex: string | undefined): string | undefined {
  const codePoint = Number.parseInt(hex ?? '', 16)
  const isCharacter = codePoint < 0xd800 || (codePoint > 0xdfff && codePoint <= 0x10ffff)
  return isCharacter ? String.fromCodePoint(codePoint) : undefined
}

function decodeBytes(escapes: string): string | undefined {
  const bytes = Array.from(escapes.matchAll(BYTE), ([, hex, octal = '']) =>
    hex === undefined ? Number.parseInt(octal, 8) : Number.parseInt(hex, 16),
  )
  try {
    return utf8.decode(Uint8Array.from(bytes))
  } catch {
    return undefined
  }
}

/** Quotes a text. @param special matches the characters to escape, as `short` says or as `\u0000`. */
export function quote(text: string, special: RegExp, short: Readonly<Record<string, string>>): string {
  const escaped = text.replaceAll(special, (character) => {
    return short[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
  return `"${escaped}"`
}
