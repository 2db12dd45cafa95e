/** Cuts a text in JSON into words. Linear in the length of the text. */
import { newlinesIn } from './newlines.ts'
import { type Place, rulesError, shown } from './syntax-error.ts'
import type { Token, TokenType } from './syntax-tree.ts'

const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y
const BLANKS = /[ \t\r\n]*/y

/** Reads one token after the other; after the last one, and after {@link JsonScanner.stop}, always `eof`. */
export class JsonScanner {
  private readonly text: string
  private offset = 0
  private line = 1
  private lineStart = 0
  private peeked: Token | undefined

  constructor(text: string) {
    this.text = text
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

  /** Leaves the rest of the text unread. */
  stop(): void {
    this.offset = this.text.length
    this.peeked = undefined
  }

  /** The rest of the text after blanks; undefined at the end. */
  restOfText(): (Place & { readonly text: string }) | undefined {
    this.skipBlanks()
    const text = this.text.slice(this.offset)
    return text === '' ? undefined : { line: this.line, column: this.offset - this.lineStart + 1, text }
  }

  private read(): Token {
    this.skipBlanks()
    const start = this.offset
    if (start === this.text.length) return this.token('eof', start)
    const character = this.text.charAt(start)
    switch (character) {
      case '{':
      case '}':
      case '[':
      case ']':
      case ':':
      case ',':
        return this.token(character, start + 1)
      case '"':
        return this.string()
    }
    const numberEnd = this.end(NUMBER)
    if (numberEnd > start) return this.token('number', numberEnd)
    const wordEnd = this.end(WORD)
    if (wordEnd > start) return this.token(character === 'n' ? 'null' : 'bool', wordEnd)
    throw this.error(JSON.stringify(String.fromCodePoint(this.text.codePointAt(start) ?? 0)), 'JSON')
  }

  private string(): Token {
    const end = this.end(STRING)
    const text = this.text.slice(this.offset, end)
    if (text === '') {
      throw this.error('a string that does not end or has a character that must be escaped', 'a JSON string')
    }
    const value = decodeString(text)
    if (!value.isWellFormed()) throw this.error(`half of a character in ${shown(text)}`, 'whole characters')
    return this.token('string', end, value)
  }

  private skipBlanks(): void {
    const start = this.offset
    this.offset = this.end(BLANKS)
    // In the blanks alone: a search in the whole text runs to its end for each token of a text without line ends.
    const { count, lastAt } = newlinesIn(this.text.slice(start, this.offset))
    if (count === 0) return
    this.line += count
    this.lineStart = start + lastAt + 1
  }

  private end(pattern: RegExp): number {
    pattern.lastIndex = this.offset
    return pattern.test(this.text) ? pattern.lastIndex : this.offset
  }

  private token(type: TokenType, end: number, value?: string): Token {
    const offset = this.offset
    const text = this.text.slice(offset, end)
    this.offset = end
    return {
      type,
      text,
      value: value ?? text,
      offset,
      line: this.line,
      column: offset - this.lineStart + 1,
    }
  }

  private error(found: string, expected: string): Error {
    return rulesError({ line: this.line, column: this.offset - this.lineStart + 1 }, found, expected)
  }
}

/** The pattern has checked the form, so the platform's own reader cannot refuse. */
function decodeString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  const value: unknown = JSON.parse(quoted)
  return String(value)
}

/** A token, for a message. */
export function describeJson(token: Token): string {
  return token.type === 'eof'
    ? 'the end of the text'
    : token.type === 'string'
      ? shown(token.text)
      : `"${shown(token.text)}"`
}
