/**
 * Prints a syntax tree as HCL, laid out as the reference lays out translated rules: two blanks of indent, adjacent
 * one-line items aligned, comments kept. Upgrade reference 3.3.
 */
import { StandaloneComments } from './standalone-comments.ts'
import {
  type Item,
  type ListNode,
  type Literal,
  type Node,
  nodeStart,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from './syntax-tree.ts'
import { TextLines } from './text-lines.ts'

export interface PrintTreeOptions {
  /** Why an item must not take effect: it is printed as a comment below this reason. Undefined: it takes effect. */
  readonly commentOut?: (item: Item) => string | undefined
}

/** Of one line, or of two where the first is a comment: short enough to be aligned with its neighbours. */
const SHORT_LINES_MAX = 2

/** No line end at the end; an empty tree is an empty text. */
export function printTree(tree: SyntaxTree, options: PrintTreeOptions = {}): string {
  return new TreePrinter(tree, options).printFile(tree.items).toString()
}

class TreePrinter {
  readonly #comments: StandaloneComments
  readonly #options: PrintTreeOptions
  /** JSON has no layout to keep: all its words count as being on one line, which is next to none. */
  readonly #hasLayout: boolean
  /** Offset of what was printed last; comments that stand alone after it are still to be printed. */
  #previous = -1

  constructor(tree: SyntaxTree, options: PrintTreeOptions) {
    this.#comments = new StandaloneComments(tree)
    this.#options = options
    this.#hasLayout = tree.form === 'hcl'
  }

  #line(token: Token): number {
    return this.#hasLayout ? token.line : 0
  }

  printFile(items: readonly Item[]): TextLines {
    const out = new TextLines()
    for (const [index, item] of items.entries()) {
      for (const group of this.#comments.between(this.#previous, firstKey(item).offset)) {
        for (const comment of group) writeLine(out, comment)
        out.newline()
      }
      this.#previous = firstKey(item).offset
      out.append(this.#printItem(item))
      const next = items[index + 1]
      if (next === undefined) continue
      out.newline()
      const hugs = this.#lineOf(next) === this.#lineOf(item) + 1 && isEmptyBlock(item) && isEmptyBlock(next)
      if (!hugs) out.newline()
    }
    for (const group of this.#comments.between(this.#previous, Number.POSITIVE_INFINITY)) {
      if (this.#previous !== -1) {
        out.newline()
        out.newline()
      }
      for (const comment of group) writeLine(out, comment)
    }
    return out
  }

  #printItem(item: Item): TextLines {
    const out = new TextLines()
    this.#writeCommentsAbove(out, item)
    const body = new TextLines()
    for (const key of item.keys) writeKey(body, key, 1)
    if (item.assign !== undefined && item.keys.length === 1) body.write('= ')
    body.append(this.#printNode(item.value))
    if (this.#endsWithLineComment(item)) writeLineComment(body, item, ' ')
    this.#appendBody(out, item, body)
    return out
  }

  /** The item without the comments above it; as a comment itself where it must not take effect. */
  #appendBody(out: TextLines, item: Item, body: TextLines): void {
    const reason = this.#options.commentOut?.(item)
    if (reason === undefined) {
      out.append(body)
      return
    }
    out.write(`# ${reason}`)
    out.newline()
    out.append(body.commentedOut())
  }

  #printNode(node: Node): TextLines {
    switch (node.type) {
      case 'literal':
        return printLiteral(node)
      case 'list':
        return this.#printList(node)
      case 'object':
        return this.#printObject(node)
    }
  }

  #printObject(object: ObjectNode): TextLines {
    const { items } = object
    const out = new TextLines()
    out.write('{')
    let isOpenLineEnded = false
    let wasCommented = false
    const endOpenLine = (): void => {
      if (!isOpenLineEnded) out.newline()
      isOpenLineEnded = true
    }
    for (let index = 0; ; ) {
      const next = items[index]
      for (const group of this.#comments.between(
        this.#previous,
        next === undefined ? object.close.offset : firstKey(next).offset,
      )) {
        for (const [position, comment] of group.entries()) {
          endOpenLine()
          if (index > 0) {
            wasCommented = true
            out.newline()
          } else if (comment.text.includes('\n') && group[position - 1]?.text.startsWith('/*') === false) {
            // The reference joins comments here; joined, this one would begin inside the one before.
            out.newline()
          }
          const text = new TextLines()
          text.writeText(comment.text, { isFixed: true })
          out.appendIndented(text)
        }
        out.newline()
        if (next !== undefined && this.#lineOf(next) !== (group.at(-1)?.line ?? 0) + 1) out.newline()
      }
      if (next === undefined) break
      endOpenLine()
      const aligned = this.#alignedFrom(items, index)
      if (!wasCommented && index > 0) out.newline()
      const printed = aligned.length > 0 ? this.#printAligned(aligned) : this.#printAlone(next)
      index += Math.max(aligned.length, 1)
      out.appendIndented(printed)
      out.newline()
    }
    this.#previous = object.close.offset
    out.write('}')
    return out
  }

  #printAlone(item: Item): TextLines {
    this.#previous = firstKey(item).offset
    return this.#printItem(item)
  }

  /** The short items on adjacent lines, from an index on; empty where the first has no neighbour or is not short. */
  #alignedFrom(items: readonly Item[], start: number): Item[] {
    const aligned: Item[] = []
    if (items.length === 1) return aligned
    for (let index = start; index < items.length; index++) {
      const item = items[index]
      if (item === undefined || !this.#isShort(item)) break
      const line = this.#lineOf(item)
      const isFollowed = this.#lineOf(items[index + 1]) === line + 1
      // The first item follows line 0, as in the reference: on line 1 it is aligned, if only with itself.
      const follows = (index === 0 ? 0 : this.#lineOf(items[index - 1])) === line - 1
      if (isFollowed || follows) aligned.push(item)
      if (!isFollowed) break
    }
    return aligned
  }

  #printAligned(items: readonly Item[]): TextLines {
    const out = new TextLines()
    this.#previous = lastOf(items, firstKey).offset
    const values = items.map((item) => this.#printNode(item.value))
    const keyWidth = Math.max(...items.map((item) => byteLength(firstKey(item).text)))
    const valueWidths = values.map((value, index) => widthOf(value, items[index]?.value))
    const valueWidth = Math.max(...valueWidths)
    for (const [index, item] of items.entries()) {
      if (index > 0) out.newline()
      this.#writeCommentsAbove(out, item)
      const body = new TextLines()
      for (const [position, key] of item.keys.entries()) {
        // The reference pads by the first keys alone, which joins two words where a label is longer.
        const gapWidthMin = key.type === 'ident' && position < item.keys.length - 1 ? 1 : 0
        writeKey(body, key, Math.max(keyWidth - byteLength(key.text) + 1, gapWidthMin))
      }
      if (item.keys.length === 1) body.write('= ')
      body.append(values[index] ?? new TextLines())
      if (this.#endsWithLineComment(item))
        writeLineComment(body, item, ' '.repeat(valueWidth - (valueWidths[index] ?? 0) + 1))
      this.#appendBody(out, item, body)
    }
    return out
  }

  /** Whether an item takes few enough lines to be aligned. Moves on as printing it would. */
  #isShort(item: Item): boolean {
    let lines = 1
    for (const key of item.keys) lines += countNewlines(key.text)
    for (const comment of item.leadComment?.comments ?? []) lines += 1 + countNewlines(comment.text)
    for (const comment of item.lineComment?.comments ?? []) {
      lines += countNewlines(comment.text) + (this.#endsWithLineComment(item) ? 0 : 1)
    }
    const { value } = item
    if (value.type === 'literal') lines += countNewlines(literalText(value))
    if (value.type === 'list') {
      if (!this.#isOneLineList(value)) lines += SHORT_LINES_MAX
      else for (const element of value.elements) lines += newlinesOfElement(element)
    }
    if (value.type === 'object') {
      const isEmpty =
        value.items.length === 0 && !this.#comments.hasBetween(this.#previous, value.close.offset)
      if (!isEmpty) lines += SHORT_LINES_MAX
    }
    const end = lastClose(value)
    if (end !== undefined) this.#previous = end.offset
    return lines <= SHORT_LINES_MAX
  }

  #printList(list: ListNode): TextLines {
    if (this.#isOneLineList(list)) return this.#printOneLineList(list)
    const out = new TextLines()
    out.write('[')
    out.newline()
    const longest = Math.max(
      0,
      ...list.elements.map((element) => (element.type === 'literal' ? byteLength(element.token.text) : 0)),
    )
    let isAfterEmptyLine = false
    for (const [index, element] of list.elements.entries()) {
      const literal = element.type === 'literal' ? element : undefined
      if (literal?.leadComment !== undefined) {
        if (!isAfterEmptyLine && index > 0) out.newline()
        for (const comment of literal.leadComment.comments) {
          const text = new TextLines()
          text.writeText(comment.text, { isFixed: false })
          out.appendIndented(text)
          out.newline()
        }
      }
      const printed = this.#printNode(element)
      out.appendIndented(printed)
      if (literal?.token.type === 'heredoc') {
        out.newline()
        out.write('  ')
      }
      out.write(',')
      if (literal?.lineComment !== undefined) {
        out.write(' '.repeat(1 + Math.max(longest - widthOf(printed, element), 0)))
        for (const comment of literal.lineComment.comments) out.writeText(comment.text, { isFixed: false })
      }
      out.newline()
      isAfterEmptyLine = literal?.leadComment !== undefined && index !== list.elements.length - 1
      if (isAfterEmptyLine) out.newline()
    }
    out.write(']')
    return out
  }

  #printOneLineList(list: ListNode): TextLines {
    const out = new TextLines()
    out.write('[')
    for (const [index, element] of list.elements.entries()) {
      if (index > 0) out.write(', ')
      out.append(this.#printNode(element))
      // The end of a here-document must be alone on its line.
      if (element.type === 'literal' && element.token.type === 'heredoc') out.newline()
    }
    out.write(']')
    return out
  }

  /** Line of an item's first key; of no item, a line that is next to none. */
  #lineOf(item: Item | undefined): number {
    return item === undefined ? Number.NaN : this.#line(firstKey(item))
  }

  /**
   * Whether a comment on the item's line may stand behind its value. Not behind a here-document, whose end must be
   * alone on its line; the reference puts it there and spoils the text.
   */
  #endsWithLineComment(item: Item): boolean {
    const start = nodeStart(item.value)
    return this.#line(start) === this.#lineOf(item) && start.type !== 'heredoc'
  }

  /** The comment above, and one that stood between the key and a value on another line. */
  #writeCommentsAbove(out: TextLines, item: Item): void {
    for (const comment of item.leadComment?.comments ?? []) writeLine(out, comment)
    if (this.#endsWithLineComment(item)) return
    for (const comment of item.lineComment?.comments ?? []) writeLine(out, comment)
  }

  /** Written on one line, and nothing in it that needs more. */
  #isOneLineList(list: ListNode): boolean {
    return list.elements.every(
      (element) =>
        element.type === 'literal' &&
        this.#line(element.token) === this.#line(list.open) &&
        element.lineComment === undefined &&
        (element.token.type !== 'heredoc' || list.elements.length === 1),
    )
  }
}

function firstKey(item: Item): Token {
  const [key] = item.keys
  if (key === undefined) throw new TypeError('an item without a key')
  return key
}

function lastOf<T, Result>(values: readonly T[], get: (value: T) => Result): Result {
  const last = values.at(-1)
  if (last === undefined) throw new TypeError('an empty list')
  return get(last)
}

/** `key {}`: may stand close to another. */
function isEmptyBlock(item: Item): boolean {
  const { value } = item
  return (
    item.leadComment === undefined &&
    item.assign === undefined &&
    value.type === 'object' &&
    value.items.length === 0
  )
}

/** A key over several lines is a name with line ends in it; the reference indents them, and so changes the name. */
function writeKey(out: TextLines, key: Token, gapWidth: number): void {
  out.writeText(key.text, { isFixed: true })
  out.write(' '.repeat(gapWidth))
}

function writeLine(out: TextLines, comment: Token): void {
  out.writeText(comment.text, { isFixed: false })
  out.newline()
}

function writeLineComment(out: TextLines, item: Item, gap: string): void {
  if (item.lineComment === undefined) return
  out.write(gap)
  for (const comment of item.lineComment.comments) out.writeText(comment.text, { isFixed: false })
}

function printLiteral(literal: Literal): TextLines {
  const out = new TextLines()
  out.writeText(literalText(literal), { isFixed: true })
  return out
}

function literalText({ token }: Literal): string {
  if (token.type === 'heredoc') return token.text.slice(0, -1)
  // The reference prints nothing for null, which no HCL can be read from; null means the empty text.
  return token.type === 'null' ? '""' : token.text
}

function newlinesOfElement(element: Node): number {
  if (element.type !== 'literal') return 0
  return countNewlines(literalText(element)) + (element.token.type === 'heredoc' ? 1 : 0)
}

/** The closing brace that is printed last inside a node. */
function lastClose(node: Node): Token | undefined {
  if (node.type === 'object') return node.close
  if (node.type === 'literal') return undefined
  let close: Token | undefined
  for (const element of node.elements) close = lastClose(element) ?? close
  return close
}

function countNewlines(text: string): number {
  return text.split('\n').length - 1
}

const encoder = new TextEncoder()

function byteLength(text: string): number {
  return encoder.encode(text).length
}

/** Columns count bytes; a line that must not be moved carries a mark of three bytes in the reference. */
function widthOf(printed: TextLines, node: Node | undefined): number {
  const text = printed.toString()
  const isFixed = node?.type === 'literal'
  const marks = isFixed
    ? text
        .split('\n')
        .slice(1)
        .filter((line) => line !== '').length
    : 0
  return byteLength(text) + 3 * marks
}
