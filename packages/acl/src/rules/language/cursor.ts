/** The position of a scanner in its text, which gives tokens and errors their line and column. */
import { type Place, rulesError } from './syntax-error.ts'
import type { Token, TokenType } from './syntax-tree.ts'

const BLANKS = /[ \t\r\n]*/y

export class Cursor {
  readonly text: string
  private at = 0
  private line = 1
  private lineStart = 0

  constructor(text: string) {
    this.text = text
  }

  get offset(): number {
    return this.at
  }

  get place(): Place {
    return { line: this.line, column: this.at - this.lineStart + 1 }
  }

  skipBlanks(): void {
    this.moveTo(this.matchEnd(BLANKS))
  }

  stop(): void {
    this.at = this.text.length
  }

  /** The end of a match of a sticky pattern; the current offset if it does not match. */
  matchEnd(pattern: RegExp): number {
    pattern.lastIndex = this.at
    return pattern.test(this.text) ? pattern.lastIndex : this.at
  }

  token(type: TokenType, end: number, value?: string): Token {
    const { place, at: offset } = this
    const text = this.text.slice(offset, end)
    this.moveTo(end)
    return { type, text, value: value ?? text, offset, ...place }
  }

  error(found: string, expected: string): Error {
    return rulesError(this.place, found, expected)
  }

  private moveTo(end: number): void {
    // Searching the whole text would take quadratic time for a text without line ends.
    const { count, lastAt } = newlinesIn(this.text.slice(this.at, end))
    if (count > 0) {
      this.line += count
      this.lineStart = this.at + lastAt + 1
    }
    this.at = end
  }
}

const NEWLINE = 0x0a

/** Counts the line ends and finds the last one. A loop is ten times faster than `indexOf`. */
export function newlinesIn(text: string): { readonly count: number; readonly lastAt: number } {
  let count = 0
  let lastAt = -1
  for (let at = 0; at < text.length; at++) {
    if (text.charCodeAt(at) !== NEWLINE) continue
    count++
    lastAt = at
  }
  return { count, lastAt }
}
