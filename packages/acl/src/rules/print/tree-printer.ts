/**
 * Prints a syntax tree as HCL in the reference's layout of translated rules: indented by two, adjacent one-line items
 * aligned, comments kept.
 */
import { countBefore } from '../decide/prefix-index.ts'
import { newlinesIn } from '../language/cursor.ts'
import {
  type CommentGroup,
  firstKey,
  type Item,
  type ListNode,
  type Literal,
  type Node,
  nodeStart,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from '../language/syntax-tree.ts'

/** The reason to comment out an item, printed above it; undefined to print the item unchanged. */
type CommentOut = (item: Item) => string | undefined

/** Ends without a newline unless the last line is a comment; an empty tree prints as an empty text. */
export function printTree(tree: SyntaxTree, commentOut: CommentOut = () => undefined): string {
  return indented(new TreePrinter(tree, commentOut).print(tree.items)).replaceAll(FIXED, '')
}

/** Marks the start of a line whose blanks are significant, and which is therefore not indented. No text contains NUL. */
const FIXED = '\0='
/** Mark the lines that a level indents, so that they are indented once, however deep they are. */
const INDENT = '\0+'
const OUTDENT = '\0-'

/** An item of one line, or of two lines if the first is a comment, is aligned with its neighbors. */
const SHORT_LINES_MAX = 2

class TreePrinter {
  private readonly commentOut: CommentOut
  /** JSON has no layout to keep: all its tokens are treated as one line without adjacent lines. */
  private readonly isLaidOut: boolean
  /** The comments that belong to no item, in the order of the text. */
  private readonly standalone: readonly { readonly comment: Token; readonly group: CommentGroup }[]
  /** Offset of the last printed token; standalone comments after it are still to be printed. */
  private previous = -1
  private isCommentedOut = false

  constructor(tree: SyntaxTree, commentOut: CommentOut) {
    this.commentOut = commentOut
    this.isLaidOut = tree.form === 'hcl'
    this.standalone = tree.comments.flatMap((group) =>
      group.isOfItem ? [] : group.comments.map((comment) => ({ comment, group })),
    )
  }

  print(items: readonly Item[]): string {
    let text = ''
    for (const [index, item] of items.entries()) {
      for (const group of this.commentsBefore(firstKey(item).offset)) text += `${linesOf(group)}\n`
      text += this.printAlone(item)
      const next = items[index + 1]
      if (next === undefined) continue
      const isAdjacent = this.lineOf(next) === this.lineOf(item) + 1
      text += isAdjacent && isEmptyBlock(item) && isEmptyBlock(next) ? '\n' : '\n\n'
    }
    for (const group of this.commentsBefore(Number.POSITIVE_INFINITY)) {
      text += (this.previous === -1 ? '' : '\n\n') + linesOf(group)
    }
    return text
  }

  private printAlone(item: Item): string {
    this.previous = firstKey(item).offset
    return this.printItem(item, () => {
      const keys = item.keys.map((key) => `${this.fixed(key.text)} `).join('')
      const assign = item.assign !== undefined && item.keys.length === 1 ? '= ' : ''
      return keys + assign + this.printNode(item.value) + this.lineCommentOf(item, 1)
    })
  }

  /** The comments above an item, and the item, commented out if required. */
  private printItem(item: Item, printBody: () => string): string {
    const above = [item.leadComment, this.endsWithLineComment(item) ? undefined : item.lineComment]
    const comments = above.map((group) => linesOf(group?.comments ?? [])).join('')
    const reason = this.commentOut(item)
    if (reason === undefined) return comments + printBody()
    if (this.isCommentedOut) return `${comments}${reason}\n${printBody()}`
    this.isCommentedOut = true
    const lines = indented(`${reason}\n${printBody()}`).split('\n')
    this.isCommentedOut = false
    return comments + lines.map((line) => (line === '' ? '#' : `# ${line}`)).join('\n')
  }

  private lineCommentOf(item: Item, gapWidth: number): string {
    if (item.lineComment === undefined || !this.endsWithLineComment(item)) return ''
    return ' '.repeat(gapWidth) + item.lineComment.comments.map(({ text }) => text).join('')
  }

  private printNode(node: Node): string {
    if (node.type === 'literal') return this.fixed(literalText(node))
    if (node.type === 'object') return this.printObject(node)
    return this.isOneLineList(node) ? this.printOneLineList(node) : this.printList(node)
  }

  private printObject({ items, close }: ObjectNode): string {
    let text = ''
    let wasCommented = false
    for (let index = 0; ; ) {
      const next = items[index]
      const end = next === undefined ? close : firstKey(next)
      for (const group of this.commentsBefore(end.offset)) {
        wasCommented ||= index > 0
        text += `${indent(this.printGroup(group, index > 0))}\n`
        if (next !== undefined && this.lineOf(next) !== (group.at(-1)?.line ?? 0) + 1) text += '\n'
      }
      if (next === undefined) break
      if (!wasCommented && index > 0) text += '\n'
      const aligned = this.alignedFrom(items, index)
      text += `${indent(aligned.length > 0 ? this.printAligned(aligned) : this.printAlone(next))}\n`
      index += Math.max(aligned.length, 1)
    }
    this.previous = close.offset
    return text === '' ? '{}' : `{\n${text}}`
  }

  private printGroup(group: readonly Token[], isBetweenItems: boolean): string {
    let printed = ''
    /** Whether text that is joined to the line is commented out with it. */
    let endsWithLine = false
    for (const [position, { text }] of group.entries()) {
      // Above the first item, the reference joins the comments of a group on one line. This breaks the text only if a
      // multi-line comment follows, directly or not, a comment that ends with the line.
      const mustNotJoin = text.includes('\n') && endsWithLine
      if (isBetweenItems || mustNotJoin) {
        printed += '\n'
        endsWithLine = false
      } else if (position > 0) printed += '  '
      endsWithLine ||= !text.startsWith('/*')
      printed += this.fixed(text)
    }
    return printed
  }

  private printAligned(items: readonly Item[]): string {
    for (const item of items) this.previous = firstKey(item).offset
    const rows = items.map((item) => {
      const value = this.printNode(item.value).replaceAll(FIXED, '')
      return { item, value, width: widthOf(value), keyWidth: byteLength(firstKey(item).text) }
    })
    const keyWidth = rows.reduce((max, row) => Math.max(max, row.keyWidth), 0)
    const valueWidth = rows.reduce((max, row) => Math.max(max, row.width), 0)
    const printed = rows.map(({ item, value, width }) =>
      this.printItem(item, () => {
        const keys = item.keys.map((key, position) => {
          // The reference pads by the first keys only, which joins two tokens if a label is longer.
          const gapWidthMin = key.type === 'ident' && position < item.keys.length - 1 ? 1 : 0
          const gapWidth = Math.max(keyWidth - byteLength(key.text) + 1, gapWidthMin)
          return this.fixed(key.text) + ' '.repeat(gapWidth)
        })
        const assign = item.keys.length === 1 ? '= ' : ''
        return keys.join('') + assign + this.fixed(value) + this.lineCommentOf(item, valueWidth - width + 1)
      }),
    )
    return printed.join('\n')
  }

  private printList({ elements }: ListNode): string {
    const widths = elements.map((element) =>
      element.type === 'literal' ? byteLength(element.token.text) : 0,
    )
    const longest = widths.reduce((max, width) => Math.max(max, width), 0)
    let text = '[\n'
    let isAfterEmptyLine = false
    for (const [index, element] of elements.entries()) {
      const { leadComment } = element.type === 'literal' ? element : NO_LITERAL
      if (leadComment !== undefined) {
        if (!isAfterEmptyLine && index > 0) text += '\n'
        text += indent(linesOf(leadComment.comments))
      }
      text += `${indent(this.printElement(element, longest))}\n`
      isAfterEmptyLine = leadComment !== undefined && index !== elements.length - 1
      if (isAfterEmptyLine) text += '\n'
    }
    return `${text}]`
  }

  private printElement(element: Node, longest: number): string {
    const { lineComment, token } = element.type === 'literal' ? element : NO_LITERAL
    // The end of a here-document must be alone on its line.
    const text = `${this.printNode(element)}${token?.type === 'heredoc' ? '\n' : ''},`
    if (lineComment === undefined) return text
    const width = token === undefined ? 0 : widthOf(literalText({ token }))
    const comments = lineComment.comments.map((comment) => comment.text)
    return text + ' '.repeat(1 + Math.max(longest - width, 0)) + comments.join('')
  }

  private printOneLineList({ elements }: ListNode): string {
    const printed = elements.map((element) => {
      const isHeredoc = element.type === 'literal' && element.token.type === 'heredoc'
      return this.printNode(element) + (isHeredoc ? '\n' : '')
    })
    return `[${printed.join(', ')}]`
  }

  /** The standalone comments between the last printed token and an offset, by group. */
  private commentsBefore(offset: number): Iterable<readonly Token[]> {
    const entries = this.standalone.slice(this.standaloneUpTo(this.previous), this.standaloneUpTo(offset - 1))
    const groups = Map.groupBy(entries, ({ group }) => group)
    return [...groups.values()].map((members) => members.map(({ comment }) => comment))
  }

  /** How many standalone comments begin at or before an offset. */
  private standaloneUpTo(offset: number): number {
    return countBefore(this.standalone, ({ comment }) => comment.offset <= offset)
  }

  /** A text whose lines after the first are not indented; in a comment, every line is. */
  private fixed(text: string): string {
    return this.isCommentedOut ? text : text.replaceAll(/\n(?=[^\n])/g, `\n${FIXED}`)
  }

  private line(token: Token): number {
    return this.isLaidOut ? token.line : 0
  }

  /** Line of an item's first key. Without an item NaN, which is adjacent to no line. */
  private lineOf(item: Item | undefined): number {
    return item === undefined ? Number.NaN : this.line(firstKey(item))
  }

  /**
   * Whether a line comment may follow the item's value. Not after a here-document, whose end must be alone on its line;
   * the reference prints it there and breaks the text.
   */
  private endsWithLineComment(item: Item): boolean {
    const start = nodeStart(item.value)
    return this.line(start) === this.lineOf(item) && start.type !== 'heredoc'
  }

  private isOneLineList({ open, elements }: ListNode): boolean {
    return elements.every(
      (element) =>
        element.type === 'literal' &&
        this.line(element.token) === this.line(open) &&
        element.lineComment === undefined &&
        (element.token.type !== 'heredoc' || elements.length === 1),
    )
  }

  /** The short items on adjacent lines, from an index on; empty if the first has no neighbor or is not short. */
  private alignedFrom(items: readonly Item[], start: number): readonly Item[] {
    const aligned: Item[] = []
    let previous = this.previous
    if (items.length === 1) return aligned
    for (let index = start; index < items.length; index++) {
      const item = items[index]
      if (item === undefined || !this.isShort(item, previous)) break
      previous = lastClose(item.value)?.offset ?? previous
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
      case 'list':
        return this.isOneLineList(value) ? countNewlines(this.printOneLineList(value)) : SHORT_LINES_MAX
      case 'object': {
        const hasComment = this.standaloneUpTo(previous) < this.standaloneUpTo(value.close.offset - 1)
        return value.items.length === 0 && !hasComment ? 0 : SHORT_LINES_MAX
      }
    }
  }
}

const NO_LITERAL: Partial<Literal> = {}

function linesOf(comments: readonly Token[]): string {
  return comments.map(({ text }) => `${text}\n`).join('')
}

function indent(text: string): string {
  return INDENT + text + OUTDENT
}

/** Indents all lines that are neither empty nor fixed, and removes the marks of {@link indent}. */
function indented(text: string): string {
  let depth = 0
  const lines = text.split('\n').map((line) => {
    let [start, end] = [0, line.length]
    for (; line.startsWith(INDENT, start) || line.startsWith(OUTDENT, start); start += 2) {
      depth += line.startsWith(INDENT, start) ? 1 : -1
    }
    const level = depth
    for (; end > start && line.endsWith(OUTDENT, end); end -= 2) depth -= 1
    const content = line.slice(start, end)
    return content === '' || content.startsWith(FIXED) ? content : '  '.repeat(level) + content
  })
  return lines.join('\n')
}

function isEmptyBlock({ leadComment, assign, value }: Item): boolean {
  return (
    leadComment === undefined && assign === undefined && value.type === 'object' && value.items.length === 0
  )
}

function literalText({ token }: Pick<Literal, 'token'>): string {
  if (token.type === 'heredoc') return token.text.replace(/\n$/, '')
  // The reference prints nothing for null, which is invalid HCL; null means the empty string.
  return token.type === 'null' ? '""' : token.text
}

function lastClose(node: Node): Token | undefined {
  if (node.type === 'object') return node.close
  if (node.type === 'literal') return undefined
  return node.elements.reduce<Token | undefined>((close, element) => lastClose(element) ?? close, undefined)
}

function countNewlines(text: string): number {
  return newlinesIn(text).count
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** The width in bytes. The reference marks each line that must not be indented with three bytes. */
function widthOf(value: string): number {
  const [, ...rest] = value.split('\n')
  return byteLength(value) + 3 * rest.filter((line) => line !== '').length
}
