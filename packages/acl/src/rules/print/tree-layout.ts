/** The parts of a text's layout that affect printing. */

import { newlinesIn } from '../language/cursor.ts'
import {
  firstKey,
  type Item,
  type ListNode,
  type Literal,
  type Node,
  nodeStart,
  type SyntaxTree,
  type Token,
} from '../language/syntax-tree.ts'
import { StandaloneComments } from './standalone-comments.ts'

/** An item of one line, or of two lines if the first is a comment, is aligned with its neighbors. */
const SHORT_LINES_MAX = 2

export class TreeLayout {
  readonly comments: StandaloneComments
  /** JSON has no layout to keep: all its tokens are treated as one line without adjacent lines. */
  private readonly isLaidOut: boolean

  constructor(tree: SyntaxTree) {
    this.comments = new StandaloneComments(tree)
    this.isLaidOut = tree.form === 'hcl'
  }

  /** Line of an item's first key. Without an item NaN, which is adjacent to no line. */
  lineOf(item: Item | undefined): number {
    return item === undefined ? Number.NaN : this.line(firstKey(item))
  }

  /**
   * Whether a line comment may follow the item's value. Not after a here-document, whose end must be alone on its line;
   * the reference prints it there and breaks the text.
   */
  endsWithLineComment(item: Item): boolean {
    const start = nodeStart(item.value)
    return this.line(start) === this.lineOf(item) && start.type !== 'heredoc'
  }

  /** Whether the list is written on one line, and no element needs more lines. */
  isOneLineList(list: ListNode): boolean {
    return list.elements.every(
      (element) =>
        element.type === 'literal' &&
        this.line(element.token) === this.line(list.open) &&
        element.lineComment === undefined &&
        (element.token.type !== 'heredoc' || list.elements.length === 1),
    )
  }

  /**
   * The short items on adjacent lines, from an index on; empty if the first has no neighbor or is not short.
   *
   * @param previous offset of the last printed token.
   */
  alignedFrom(items: readonly Item[], start: number, previous: number): readonly Item[] {
    const aligned: Item[] = []
    let offset = previous
    if (items.length === 1) return aligned
    for (let index = start; index < items.length; index++) {
      const item = items[index]
      if (item === undefined || !this.isShort(item, offset)) break
      offset = lastClose(item.value)?.offset ?? offset
      const line = this.lineOf(item)
      const isFollowed = this.lineOf(items[index + 1]) === line + 1
      // The first item follows line 0, as in the reference: on line 1 it is aligned, if only with itself.
      const follows = (index === 0 ? 0 : this.lineOf(items[index - 1])) === line - 1
      if (isFollowed || follows) aligned.push(item)
      if (!isFollowed) break
    }
    return aligned
  }

  private isShort(item: Item, previous: number): boolean {
    let lines = 1
    for (const key of item.keys) lines += countNewlines(key.text)
    for (const comment of item.leadComment?.comments ?? []) lines += 1 + countNewlines(comment.text)
    for (const comment of item.lineComment?.comments ?? []) {
      lines += countNewlines(comment.text) + (this.endsWithLineComment(item) ? 0 : 1)
    }
    return lines + this.newlinesOf(item.value, previous) <= SHORT_LINES_MAX
  }

  /** Line ends in a printed value, capped at the number that makes it long. */
  private newlinesOf(value: Node, previous: number): number {
    switch (value.type) {
      case 'literal':
        return countNewlines(literalText(value))
      case 'list': {
        if (!this.isOneLineList(value)) return SHORT_LINES_MAX
        const [only] = value.elements
        const isHeredoc = only?.type === 'literal' && only.token.type === 'heredoc'
        const texts = value.elements.map((element) =>
          element.type === 'literal' ? literalText(element) : '',
        )
        return countNewlines(texts.join('')) + (isHeredoc ? 1 : 0)
      }
      case 'object': {
        const isEmpty = value.items.length === 0 && !this.comments.hasBetween(previous, value.close.offset)
        return isEmpty ? 0 : SHORT_LINES_MAX
      }
    }
  }

  private line(token: Token): number {
    return this.isLaidOut ? token.line : 0
  }
}

export function literalText({ token }: Literal): string {
  if (token.type === 'heredoc') return token.text.replace(/\n$/, '')
  // The reference prints nothing for null, which is invalid HCL; null means the empty string.
  return token.type === 'null' ? '""' : token.text
}

/** The last closing brace printed inside a node. */
function lastClose(node: Node): Token | undefined {
  if (node.type === 'object') return node.close
  if (node.type === 'literal') return undefined
  let close: Token | undefined
  for (const element of node.elements) close = lastClose(element) ?? close
  return close
}

function countNewlines(text: string): number {
  return newlinesIn(text).count
}

const encoder = new TextEncoder()

export function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** The width in bytes. The reference marks each line that must not be indented with three bytes. */
export function widthOf(value: string): number {
  const marked = value
    .split('\n')
    .slice(1)
    .filter((line) => line !== '')
  return byteLength(value) + 3 * marked.length
}
