/** Yields the tokens of an HCL text without comments, and attaches the comments to items. */

import { newlinesIn } from './cursor.ts'
import type { ReadTokens } from './hcl-scanner.ts'
import type { CommentGroup, Token } from './syntax-tree.ts'

/**
 * Attaches comments as HCL 1 does: a group on the lines just above a token is the lead comment of its item; a comment
 * after a token on the same line is the item's line comment. All others are standalone. A lead or line comment stays
 * available until an item takes it, so a comment in an unusual place is attached to the next item.
 */
export class CommentedTokens {
  private readonly read: ReadTokens
  private index = 0
  readonly comments: CommentGroup[] = []
  private current: Token | undefined
  private pushedBack = false
  private lead: CommentGroup | undefined
  private line: CommentGroup | undefined

  constructor(read: ReadTokens) {
    this.read = read
  }

  next(): Token {
    if (this.pushedBack && this.current !== undefined) {
      this.pushedBack = false
      return this.current
    }
    const previousLine = this.current?.line
    let token = this.take()
    if (token.type === 'comment') token = this.readComments(token, previousLine)
    this.current = token
    return token
  }

  pushBack(): void {
    this.pushedBack = true
  }

  peek(): Token {
    const token = this.next()
    this.pushBack()
    return token
  }

  /** The comment above the tokens just read, unless taken already. */
  takeLead(): CommentGroup | undefined {
    const group = this.lead
    this.lead = undefined
    return group
  }

  /** The comment at the end of the line just read, unless taken already. */
  takeLine(): CommentGroup | undefined {
    const group = this.line
    this.line = undefined
    return group
  }

  /** The next token, including comments; after the last token, always `eof`. */
  private take(): Token {
    const token = this.read.tokens[this.index] ?? this.read.tokens.at(-1)
    if (this.index === this.read.tokens.length && this.read.fault !== undefined) throw this.read.fault
    if (token === undefined) throw new TypeError('a token list ends with eof')
    if (this.index < this.read.tokens.length) this.index++
    return token
  }

  private readComments(first: Token, previousLine: number | undefined): Token {
    let token = first
    let group: CommentGroup | undefined
    let endLine = -1
    if (first.line === previousLine) {
      const read = this.readGroup(token, 0)
      token = read.next
      if (token.line !== read.endLine) this.line = read.group
    }
    while (token.type === 'comment') {
      const read = this.readGroup(token, 1)
      token = read.next
      group = read.group
      endLine = read.endLine
    }
    if (endLine + 1 === token.line && token.type !== '}' && token.type !== ']') this.lead = group
    return token
  }

  /** Comments that each begin at most `gap` lines below the end of the previous one. */
  private readGroup(first: Token, gap: number): { group: CommentGroup; endLine: number; next: Token } {
    const comments: Token[] = []
    let token = first
    let endLine = first.line
    while (token.type === 'comment' && token.line <= endLine + gap) {
      comments.push(token)
      endLine = token.line + (token.text.startsWith('/*') ? newlinesIn(token.text).count : 0)
      token = this.take()
    }
    const group = { comments, isOfItem: false }
    this.comments.push(group)
    return { group, endLine, next: token }
  }
}
