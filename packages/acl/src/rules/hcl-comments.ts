/** Hands out the words of an HCL text without its comments, and remembers which comment belongs where. */
import { HclScanner } from './hcl-scanner.ts'
import type { CommentGroup, Token } from './syntax-tree.ts'

/**
 * A comment belongs to what it stands next to, as HCL 1 sees it: a group on the lines just above a word leads that
 * word's item; a comment after a word on the same line closes that item's line. All others stand alone.
 * Both are offered until somebody takes them, so a comment in an odd place goes to the next item.
 */
export class CommentedTokens {
  readonly #scanner: HclScanner
  readonly comments: CommentGroup[] = []
  #current: Token | undefined
  #pushedBack = false
  #lead: CommentGroup | undefined
  #line: CommentGroup | undefined

  constructor(text: string) {
    this.#scanner = new HclScanner(text)
  }

  next(): Token {
    if (this.#pushedBack && this.#current !== undefined) {
      this.#pushedBack = false
      return this.#current
    }
    const previousLine = this.#current?.line
    let token = this.#scanner.next()
    if (token.type === 'comment') token = this.#readComments(token, previousLine)
    this.#current = token
    return token
  }

  /** Makes the last token the next one again. */
  pushBack(): void {
    this.#pushedBack = true
  }

  peek(): Token {
    const token = this.next()
    this.pushBack()
    return token
  }

  /** The comment above the words just read, if nobody took it yet. */
  takeLead(): CommentGroup | undefined {
    const group = this.#lead
    this.#lead = undefined
    return group
  }

  /** The comment at the end of the line just read, if nobody took it yet. */
  takeLine(): CommentGroup | undefined {
    const group = this.#line
    this.#line = undefined
    return group
  }

  #readComments(first: Token, previousLine: number | undefined): Token {
    let token = first
    let group: CommentGroup | undefined
    let endLine = -1
    if (first.line === previousLine) {
      const read = this.#readGroup(token, 0)
      token = read.next
      if (token.line !== read.endLine) this.#line = read.group
    }
    while (token.type === 'comment') {
      const read = this.#readGroup(token, 1)
      token = read.next
      group = read.group
      endLine = read.endLine
    }
    if (endLine + 1 === token.line && token.type !== '}' && token.type !== ']') this.#lead = group
    return token
  }

  /** Comments of which each begins at most `gap` lines below the end of the one before. */
  #readGroup(first: Token, gap: number): { group: CommentGroup; endLine: number; next: Token } {
    const comments: Token[] = []
    let token = first
    let endLine = first.line
    while (token.type === 'comment' && token.line <= endLine + gap) {
      comments.push(token)
      endLine = token.line + (token.text.startsWith('/*') ? token.text.split('\n').length - 1 : 0)
      token = this.#scanner.next()
    }
    const group = { comments }
    this.comments.push(group)
    return { group, endLine, next: token }
  }
}
