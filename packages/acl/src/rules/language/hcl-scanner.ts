/** Cuts a text in HCL 1 into words. Linear in the length of the text. */

import { Pace, type Sliced, stepsOf } from '../../turns.ts'
import { decodeHclString } from './hcl-string.ts'
import { NEWLINE, newlinesIn } from './newlines.ts'
import { rulesError, shown } from './syntax-error.ts'
import type { Token, TokenType } from './syntax-tree.ts'

const TAB = 0x09
const CARRIAGE_RETURN = 0x0d
const SPACE = 0x20
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

/** The words of a text up to its end or its first fault, which counts only if the reader gets there. */
export interface ReadTokens {
  readonly tokens: readonly Token[]
  readonly fault: unknown
}

/** Reads all words of a text: the last is `eof` where there is no fault. */
export function* readTokens(text: string): Sliced<ReadTokens> {
  const scanner = new HclScanner(text)
  const tokens: Token[] = []
  const pace = new Pace()
  try {
    for (let offset = 0; ; ) {
      const read = scanner.next()
      const isEscaped = read.type === 'string' && read.value.includes('\\')
      const token = isEscaped ? { ...read, value: yield* decodeHclString(read.text, read) } : read
      tokens.push(token)
      if (token.type === 'eof') return { tokens, fault: undefined }
      // With the blanks before it.
      const end = read.offset + read.text.length
      if (pace.isDue(stepsOf(end - offset))) yield
      offset = end
    }
  } catch (fault) {
    return { tokens, fault }
  }
}

/** Returns one token after the other; after the last one, always `eof`. */
class HclScanner {
  private readonly text: string
  private offset = 0
  private line = 1
  private lineStart = 0

  constructor(text: string) {
    this.text = text
  }

  /** @throws AclError `rules_invalid` where no token begins, or one is not finished. */
  next(): Token {
    this.skipBlanks()
    const start = this.offset
    const code = this.text.charCodeAt(start)
    if (start === this.text.length) return this.token('eof', start)
    if (code === QUOTE) return this.string()
    if (code === HASH || code === SLASH) return this.comment()
    const type = PUNCTUATION.get(this.text.charAt(start))
    if (type !== undefined) return this.token(type, start + 1)
    const identEnd = matchEnd(IDENT, this.text, start)
    if (identEnd > start) return this.word(identEnd)
    const numberEnd = matchEnd(NUMBER, this.text, start)
    if (numberEnd > start) return this.token('number', numberEnd)
    if (code === LESS_THAN) return this.heredoc()
    throw this.error(start, this.characterAt(start), 'a rule, a word, a string or a comment')
  }

  private skipBlanks(): void {
    let at = this.offset
    for (; ; at++) {
      const code = this.text.charCodeAt(at)
      if (code === NEWLINE) this.newline(at)
      else if (code !== SPACE && code !== TAB && code !== CARRIAGE_RETURN) break
    }
    this.offset = at
  }

  private newline(offset: number): void {
    this.line++
    this.lineStart = offset + 1
  }

  /** The token from the current offset to `end`, which becomes the current offset. */
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

  /** As {@link HclScanner.token}, for a token that may hold line ends: its place is where it begins. */
  private longToken(type: TokenType, end: number, value?: string): Token {
    const start = this.offset
    const token = this.token(type, end, value)
    // In the token alone: a search in the whole text runs to its end for each token of a text without line ends.
    const { count, lastAt } = newlinesIn(token.text)
    if (count > 0) {
      this.line += count
      this.lineStart = start + lastAt + 1
    }
    return token
  }

  private word(end: number): Token {
    const token = this.token('ident', end)
    return token.text === 'true' || token.text === 'false' ? { ...token, type: 'bool' } : token
  }

  /** `"…"`, with its escapes. Inside `${…}` quotes and line ends do not end the string. */
  private string(): Token {
    const start = this.offset
    let depth = 0
    for (let at = start + 1; ; at++) {
      const code = this.text.charCodeAt(at)
      if (at >= this.text.length || (code === NEWLINE && depth === 0)) {
        throw this.error(start, 'a string that does not end', 'a closing " on the same line')
      }
      if (code === QUOTE && depth === 0) {
        return this.longToken('string', at + 1, this.text.slice(start + 1, at))
      }
      if (code === BACKSLASH) at++
      else if (code === BRACE_OPEN && (depth > 0 || this.text.charCodeAt(at - 1) === DOLLAR)) depth++
      else if (code === BRACE_CLOSE && depth > 0) depth--
    }
  }

  private comment(): Token {
    const start = this.offset
    if (this.text.charCodeAt(start) === SLASH) {
      const second = this.text.charCodeAt(start + 1)
      if (second === ASTERISK) {
        const close = this.text.indexOf('*/', start + 2)
        if (close === -1) throw this.error(start, 'a comment that does not end', 'a closing */')
        return this.longToken('comment', close + 2)
      }
      if (second !== SLASH) throw this.error(start, '"/"', 'a comment: // or /*')
    }
    const newline = this.text.indexOf('\n', start)
    return this.token('comment', newline === -1 ? this.text.length : newline)
  }

  /** `<<NAME`, lines, and a line with nothing but NAME; its line end, if there is one, belongs to the token. */
  private heredoc(): Token {
    const start = this.offset
    HEREDOC_ANCHOR.lastIndex = start
    const anchor = HEREDOC_ANCHOR.exec(this.text)
    const name = anchor?.[1]
    if (anchor === null || name === undefined) {
      throw this.error(
        start,
        shown(this.text.slice(start, start + 8)),
        'a here-document: <<NAME and a line end',
      )
    }
    const bodyStart = start + anchor[0].length
    const last = findEnding(this.text, name, bodyStart)
    if (last === undefined) {
      throw this.error(start, `<<${shown(name)} that does not end`, `a line with nothing but ${shown(name)}`)
    }
    const body = this.text.slice(bodyStart, last.start)
    return this.longToken('heredoc', last.end, body)
  }

  private characterAt(offset: number): string {
    const character = String.fromCodePoint(this.text.codePointAt(offset) ?? 0)
    return /[\p{C}\p{Z}]/u.test(character)
      ? `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0')}`
      : JSON.stringify(character)
  }

  private error(offset: number, found: string, expected: string): Error {
    return rulesError({ line: this.line, column: offset - this.lineStart + 1 }, found, expected)
  }
}

/** Longest name that is searched by a regular expression: the platform refuses one of a hundred thousand characters. */
const SEARCHED_NAME_LENGTH_MAX = 1_000

interface Line {
  readonly start: number
  /** After its line end, if there is one. */
  readonly end: number
}

/** The first line with nothing but a name. */
function findEnding(text: string, name: string, from: number): Line | undefined {
  if (name.length > SEARCHED_NAME_LENGTH_MAX) return findLongEnding(text, name, from)
  // One search by the platform: a body may have half a million lines.
  const ending = new RegExp(`(?<=\\n)[ \\t\\v\\f\\r]*${name}\\r*(?:\\n|$)`, 'gu')
  ending.lastIndex = from
  const match = ending.exec(text)
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length }
}

/** Line by line: only lines as long as the name are looked at, of which a text has few. */
function findLongEnding(text: string, name: string, from: number): Line | undefined {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf('\n', start)
    const lineEnd = newline === -1 ? text.length : newline
    const end = newline === -1 ? lineEnd : newline + 1
    if (lineEnd - start >= name.length) {
      let first = start
      while (' \t\v\f\r'.includes(text.charAt(first)) && first < lineEnd) first += 1
      let last = lineEnd
      while (text.charAt(last - 1) === '\r' && last > first) last -= 1
      if (last - first === name.length && text.startsWith(name, first)) return { start, end }
    }
    start = end
  }
  return undefined
}

function matchEnd(pattern: RegExp, text: string, offset: number): number {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : offset
}

/** A token, for a message. */
export function describeToken(token: Token): string {
  if (token.type === 'eof') return 'the end of the text'
  if (token.type === 'string') return `the string ${shown(token.text)}`
  if (token.type === 'ident' || token.type === 'number' || token.type === 'bool')
    return `the word ${shown(token.text)}`
  return token.type === 'heredoc' ? 'a here-document' : `"${shown(token.text)}"`
}
