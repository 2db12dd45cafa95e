/**
 * Tokenizes JSON in linear time. Keeps every token with its position, for printing. The strict reader of bodies (the
 * contract's `parseJson`) and the scanner of dumps keep none.
 */
import { Cursor } from './cursor.ts'
import { type Place, shown } from './syntax-error.ts'
import type { Token } from './syntax-tree.ts'

const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

/** Returns `eof` after the last token and after {@link JsonScanner.stop}. */
export class JsonScanner {
  private readonly cursor: Cursor
  private peeked: Token | undefined

  constructor(text: string) {
    this.cursor = new Cursor(text)
  }

  peek(): Token {
    this.peeked ??= this.read()
    return this.peeked
  }

  next(): Token {
    const token = this.peek()
    this.peeked = undefined
    return token
  }

  /** Ignores the rest of the text. */
  stop(): void {
    this.cursor.stop()
    this.peeked = undefined
  }

  /** The rest of the text after blanks; undefined at the end of the text. */
  restOfText(): (Place & { readonly text: string }) | undefined {
    this.cursor.skipBlanks()
    const text = this.cursor.text.slice(this.cursor.offset)
    return text === '' ? undefined : { ...this.cursor.place, text }
  }

  private read(): Token {
    const { cursor } = this
    cursor.skipBlanks()
    const { text, offset: start } = cursor
    if (start === text.length) return cursor.token('eof', start)
    const character = text.charAt(start)
    switch (character) {
      case '{':
      case '}':
      case '[':
      case ']':
      case ':':
      case ',':
        return cursor.token(character, start + 1)
      case '"':
        return readString(cursor)
    }
    const numberEnd = cursor.matchEnd(NUMBER)
    if (numberEnd > start) return cursor.token('number', numberEnd)
    const wordEnd = cursor.matchEnd(WORD)
    if (wordEnd > start) return cursor.token(character === 'n' ? 'null' : 'bool', wordEnd)
    throw cursor.error(JSON.stringify(String.fromCodePoint(text.codePointAt(start) ?? 0)), 'JSON')
  }
}

function readString(cursor: Cursor): Token {
  const end = cursor.matchEnd(STRING)
  const text = cursor.text.slice(cursor.offset, end)
  if (text === '') {
    throw cursor.error('a string that does not end or has a character that must be escaped', 'a JSON string')
  }
  const value = decodeString(text)
  if (!value.isWellFormed()) throw cursor.error(`an unpaired surrogate in ${shown(text)}`, 'valid Unicode')
  return cursor.token('string', end, value)
}

/** `STRING` matched, so `JSON.parse` cannot throw. */
function decodeString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  const value: unknown = JSON.parse(quoted)
  return String(value)
}

/** Describes a token in a message. */
export function describeJson(token: Token): string {
  return token.type === 'eof'
    ? 'the end of the text'
    : token.type === 'string'
      ? shown(token.text)
      : `"${shown(token.text)}"`
}
