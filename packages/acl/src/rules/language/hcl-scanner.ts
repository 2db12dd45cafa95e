/** Tokenizes HCL 1 in linear time. */

import { Cursor } from './cursor.ts'
import { decodeHclString } from './hcl-string.ts'
import { shown } from './syntax-error.ts'
import type { Token, TokenType } from './syntax-tree.ts'

const NEWLINE = 0x0a
const QUOTE = 0x22
const HASH = 0x23
const DOLLAR = 0x24
const ASTERISK = 0x2a
const SLASH = 0x2f
const LESS_THAN = 0x3c
const BACKSLASH = 0x5c
const BRACE_OPEN = 0x7b
const BRACE_CLOSE = 0x7d

const IDENT = /[\p{L}_][\p{L}\p{Nd}_.-]*/uy
const NUMBER = /-?(?:0[xX][0-9a-fA-F]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)/y
const HEREDOC_ANCHOR = /<<-?([\p{L}\p{Nd}_]+)\n/uy

const PUNCTUATION: ReadonlyMap<string, TokenType> = new Map(
  (['{', '}', '[', ']', '=', ','] as const).map((character) => [character, character]),
)

/** The tokens of a text up to its end or its first error. The parser throws the error when it gets there. */
export interface ReadTokens {
  readonly tokens: readonly Token[]
  readonly fault: unknown
}

export function readTokens(text: string): ReadTokens {
  const cursor = new Cursor(text)
  const tokens: Token[] = []
  try {
    for (;;) {
      const read = readToken(cursor)
      const isEscaped = read.type === 'string' && read.value.includes('\\')
      const token = isEscaped ? { ...read, value: decodeHclString(read.text, read) } : read
      tokens.push(token)
      if (token.type === 'eof') return { tokens, fault: undefined }
    }
  } catch (fault) {
    return { tokens, fault }
  }
}

/** Reads the next token; after the last token, always `eof`. */
function readToken(cursor: Cursor): Token {
  cursor.skipBlanks()
  const { text, offset: start } = cursor
  const code = text.charCodeAt(start)
  if (start === text.length) return cursor.token('eof', start)
  if (code === QUOTE) return readString(cursor)
  if (code === HASH || code === SLASH) return readComment(cursor)
  const type = PUNCTUATION.get(text.charAt(start))
  if (type !== undefined) return cursor.token(type, start + 1)
  const identEnd = cursor.matchEnd(IDENT)
  if (identEnd > start) return readWord(cursor, identEnd)
  const numberEnd = cursor.matchEnd(NUMBER)
  if (numberEnd > start) return cursor.token('number', numberEnd)
  if (code === LESS_THAN) return readHeredoc(cursor)
  throw cursor.error(characterAt(cursor), 'a rule, a word, a string or a comment')
}

function readWord(cursor: Cursor, end: number): Token {
  const token = cursor.token('ident', end)
  return token.text === 'true' || token.text === 'false' ? { ...token, type: 'bool' } : token
}

/** Reads `"…"`, with its escapes. Inside `${…}`, quotes and line ends do not end the string. */
function readString(cursor: Cursor): Token {
  const { text, offset: start } = cursor
  let depth = 0
  for (let at = start + 1; ; at++) {
    const code = text.charCodeAt(at)
    if (at >= text.length || (code === NEWLINE && depth === 0)) {
      throw cursor.error('a string that does not end', 'a closing " on the same line')
    }
    if (code === QUOTE && depth === 0) {
      return cursor.token('string', at + 1, text.slice(start + 1, at))
    }
    if (code === BACKSLASH) at++
    else if (code === BRACE_OPEN && (depth > 0 || text.charCodeAt(at - 1) === DOLLAR)) depth++
    else if (code === BRACE_CLOSE && depth > 0) depth--
  }
}

function readComment(cursor: Cursor): Token {
  const { text, offset: start } = cursor
  if (text.charCodeAt(start) === SLASH) {
    const second = text.charCodeAt(start + 1)
    if (second === ASTERISK) {
      const close = text.indexOf('*/', start + 2)
      if (close === -1) throw cursor.error('a comment that does not end', 'a closing */')
      return cursor.token('comment', close + 2)
    }
    if (second !== SLASH) throw cursor.error('"/"', 'a comment: // or /*')
  }
  const newline = text.indexOf('\n', start)
  return cursor.token('comment', newline === -1 ? text.length : newline)
}

/** Reads `<<NAME`, lines, and a line with only NAME, whose line end belongs to the token. */
function readHeredoc(cursor: Cursor): Token {
  const { text, offset: start } = cursor
  HEREDOC_ANCHOR.lastIndex = start
  const anchor = HEREDOC_ANCHOR.exec(text)
  const name = anchor?.[1]
  if (anchor === null || name === undefined) {
    throw cursor.error(shown(text.slice(start, start + 8)), 'a here-document: <<NAME and a line end')
  }
  const bodyStart = start + anchor[0].length
  const last = findEnding(text, name, bodyStart)
  if (last === undefined) {
    throw cursor.error(`<<${shown(name)} that does not end`, `a line with nothing but ${shown(name)}`)
  }
  const body = text.slice(bodyStart, last.start)
  return cursor.token('heredoc', last.end, body)
}

function characterAt({ text, offset }: Cursor): string {
  const character = String.fromCodePoint(text.codePointAt(offset) ?? 0)
  return /[\p{C}\p{Z}]/u.test(character)
    ? `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
    : JSON.stringify(character)
}

/** The first line with nothing but the name: its start, and its end after a line end. */
function findEnding(text: string, name: string, from: number) {
  for (let at = text.indexOf(name, from); at !== -1; ) {
    let start = at
    while (' \t\v\f\r'.includes(text.charAt(start - 1))) start -= 1
    let end = at + name.length
    while (text.charAt(end) === '\r') end += 1
    const newline = text.indexOf('\n', end)
    const isAlone = text.charAt(start - 1) === '\n' && (end === text.length || newline === end)
    if (isAlone) return { start, end: newline === -1 ? end : newline + 1 }
    // A line with anything else cannot contain only the name.
    at = newline === -1 ? -1 : text.indexOf(name, newline + 1)
  }
  return undefined
}

export function describeToken(token: Token): string {
  if (token.type === 'eof') return 'the end of the text'
  if (token.type === 'string') return `the string ${shown(token.text)}`
  if (token.type === 'ident' || token.type === 'number' || token.type === 'bool')
    return `the word ${shown(token.text)}`
  return token.type === 'heredoc' ? 'a here-document' : `"${shown(token.text)}"`
}
