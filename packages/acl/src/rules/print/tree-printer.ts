/**
 * Prints a syntax tree as HCL in the reference's layout of translated rules: indented by two, adjacent one-line items
 * aligned, comments kept.
 */

import {
  firstKey,
  type Item,
  type ListNode,
  type Literal,
  type Node,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from '../language/syntax-tree.ts'
import { LineWriter } from './line-writer.ts'
import { byteLength, literalText, TreeLayout, widthOf } from './tree-layout.ts'

interface PrintTreeOptions {
  /** The reason to comment out an item, printed above it; undefined to print the item unchanged. */
  readonly commentOut?: (item: Item) => string | undefined
}

/** Ends without a newline unless the last line is a comment; an empty tree prints as an empty text. */
export function printTree(tree: SyntaxTree, options: PrintTreeOptions = {}): string {
  return new TreePrinter(new TreeLayout(tree), options).print(tree.items)
}

class TreePrinter {
  private readonly layout: TreeLayout
  private readonly options: PrintTreeOptions
  private out = new LineWriter()
  /** Offset of the last printed token; standalone comments after it are still to be printed. */
  private previous = -1

  constructor(layout: TreeLayout, options: PrintTreeOptions) {
    this.layout = layout
    this.options = options
  }

  print(items: readonly Item[]): string {
    const out = this.out
    for (const [index, item] of items.entries()) {
      for (const group of this.layout.comments.between(this.previous, firstKey(item).offset)) {
        for (const comment of group) this.commentLine(comment)
        out.newline()
      }
      this.printAlone(item)
      const next = items[index + 1]
      if (next === undefined) continue
      out.newline()
      const isAdjacent = this.layout.lineOf(next) === this.layout.lineOf(item) + 1
      if (!(isAdjacent && isEmptyBlock(item) && isEmptyBlock(next))) out.newline()
    }
    for (const group of this.layout.comments.between(this.previous, Number.POSITIVE_INFINITY)) {
      if (this.previous !== -1) {
        out.newline()
        out.newline()
      }
      for (const comment of group) this.commentLine(comment)
    }
    return out.toString()
  }

  private printAlone(item: Item): void {
    this.previous = firstKey(item).offset
    this.printItem(item, () => this.printBody(item))
  }

  private printBody(item: Item): void {
    for (const key of item.keys) this.printKey(key, 1)
    if (item.assign !== undefined && item.keys.length === 1) this.out.write('= ')
    this.printNode(item.value)
    this.printLineComment(item, 1)
  }

  /** The comments above an item, and the item, commented out if required. */
  private printItem(item: Item, printValue: () => void): void {
    for (const comment of item.leadComment?.comments ?? []) this.commentLine(comment)
    if (!this.layout.endsWithLineComment(item)) {
      for (const comment of item.lineComment?.comments ?? []) this.commentLine(comment)
    }
    const reason = this.options.commentOut?.(item)
    if (reason === undefined) {
      printValue()
      return
    }
    this.out.commentedOut(() => {
      this.out.write(reason)
      this.out.newline()
      printValue()
    })
  }

  /** Not indented: a multi-line key contains line ends, and indentation would change the name, as in the reference. */
  private printKey(key: Token, gapWidth: number): void {
    this.out.writeText(key.text, { isFixed: true })
    this.out.write(' '.repeat(gapWidth))
  }

  private printLineComment(item: Item, gapWidth: number): void {
    if (item.lineComment === undefined || !this.layout.endsWithLineComment(item)) return
    this.out.write(' '.repeat(gapWidth))
    for (const comment of item.lineComment.comments) this.out.writeText(comment.text, { isFixed: false })
  }

  private commentLine(comment: Token): void {
    this.out.writeText(comment.text, { isFixed: false })
    this.out.newline()
  }

  private printNode(node: Node): void {
    if (node.type === 'literal') this.out.writeText(literalText(node), { isFixed: true })
    else if (node.type === 'object') this.printObject(node)
    else if (this.layout.isOneLineList(node)) this.printOneLineList(node)
    else this.printList(node)
  }

  private printObject(object: ObjectNode): void {
    const { items } = object
    const out = this.out
    out.write('{')
    let isOpenLineEnded = false
    let wasCommented = false
    const endOpenLine = (): void => {
      if (!isOpenLineEnded) out.newline()
      isOpenLineEnded = true
    }
    for (let index = 0; ; ) {
      const next = items[index]
      const end = next === undefined ? object.close : firstKey(next)
      for (const group of this.layout.comments.between(this.previous, end.offset)) {
        endOpenLine()
        wasCommented ||= index > 0
        this.printGroup(group, { isBetweenItems: index > 0 })
        if (next !== undefined && this.layout.lineOf(next) !== (group.at(-1)?.line ?? 0) + 1) out.newline()
      }
      if (next === undefined) break
      endOpenLine()
      if (!wasCommented && index > 0) out.newline()
      const aligned = this.layout.alignedFrom(items, index, this.previous)
      out.indented(() => (aligned.length > 0 ? this.printAligned(aligned) : this.printAlone(next)))
      out.newline()
      index += Math.max(aligned.length, 1)
    }
    this.previous = object.close.offset
    out.write('}')
  }

  /** Standalone comments inside a block. */
  private printGroup(group: readonly Token[], options: { readonly isBetweenItems: boolean }): void {
    const out = this.out
    /** Whether text that is joined to the line is commented out with it. */
    let endsWithLine = false
    for (const [position, comment] of group.entries()) {
      // Above the first item, the reference joins the comments of a group on one line. This breaks the text only if a
      // multi-line comment follows, directly or not, a comment that ends with the line.
      const mustNotJoin = comment.text.includes('\n') && endsWithLine
      if (options.isBetweenItems || mustNotJoin) {
        out.newline()
        endsWithLine = false
      } else if (position > 0) out.write('  ')
      endsWithLine ||= !comment.text.startsWith('/*')
      out.indented(() => out.writeText(comment.text, { isFixed: true }))
    }
    out.newline()
  }

  private printAligned(items: readonly Item[]): void {
    for (const item of items) this.previous = firstKey(item).offset
    const values: string[] = []
    const valueWidths: number[] = []
    let keyWidth = 0
    let valueWidth = 0
    for (const item of items) {
      const value = this.printApart(item.value)
      const width = widthOf(value)
      values.push(value)
      valueWidths.push(width)
      keyWidth = Math.max(keyWidth, byteLength(firstKey(item).text))
      valueWidth = Math.max(valueWidth, width)
    }
    for (const [index, item] of items.entries()) {
      if (index > 0) this.out.newline()
      const gapWidth = valueWidth - (valueWidths[index] ?? 0) + 1
      this.printItem(item, () => this.printAlignedBody(item, values[index] ?? '', { keyWidth, gapWidth }))
    }
  }

  private printAlignedBody(
    item: Item,
    value: string,
    { keyWidth, gapWidth }: { readonly keyWidth: number; readonly gapWidth: number },
  ): void {
    for (const [position, key] of item.keys.entries()) {
      // The reference pads by the first keys only, which joins two tokens if a label is longer.
      const gapWidthMin = key.type === 'ident' && position < item.keys.length - 1 ? 1 : 0
      this.printKey(key, Math.max(keyWidth - byteLength(key.text) + 1, gapWidthMin))
    }
    if (item.keys.length === 1) this.out.write('= ')
    this.out.writeText(value, { isFixed: true })
    this.printLineComment(item, gapWidth)
  }

  /** Prints a value separately in order to measure it. */
  private printApart(node: Node): string {
    const out = this.out
    this.out = new LineWriter()
    this.printNode(node)
    const text = this.out.toString()
    this.out = out
    return text
  }

  private printList(list: ListNode): void {
    const out = this.out
    let longest = 0
    for (const element of list.elements) {
      if (element.type === 'literal') longest = Math.max(longest, byteLength(element.token.text))
    }
    out.write('[')
    out.newline()
    let isAfterEmptyLine = false
    for (const [index, element] of list.elements.entries()) {
      const { leadComment } = element.type === 'literal' ? element : NO_LITERAL
      if (leadComment !== undefined) {
        if (!isAfterEmptyLine && index > 0) out.newline()
        for (const comment of leadComment.comments) out.indented(() => this.commentLine(comment))
      }
      out.indented(() => this.printElement(element, longest))
      out.newline()
      isAfterEmptyLine = leadComment !== undefined && index !== list.elements.length - 1
      if (isAfterEmptyLine) out.newline()
    }
    out.write(']')
  }

  /** One element per line, with its comments aligned after the longest element. */
  private printElement(element: Node, longest: number): void {
    const out = this.out
    const { lineComment, token } = element.type === 'literal' ? element : NO_LITERAL
    this.printNode(element)
    // The end of a here-document must be alone on its line.
    if (token?.type === 'heredoc') out.newline()
    out.write(',')
    if (lineComment === undefined) return
    const width = token === undefined ? 0 : widthOf(literalText({ type: 'literal', token }))
    out.write(' '.repeat(1 + Math.max(longest - width, 0)))
    for (const comment of lineComment.comments) out.writeText(comment.text, { isFixed: false })
  }

  private printOneLineList(list: ListNode): void {
    this.out.write('[')
    for (const [index, element] of list.elements.entries()) {
      if (index > 0) this.out.write(', ')
      this.printNode(element)
      if (element.type === 'literal' && element.token.type === 'heredoc') this.out.newline()
    }
    this.out.write(']')
  }
}

const NO_LITERAL: Partial<Literal> = {}

/** An empty block, `key {}`, which needs no blank line before another. */
function isEmptyBlock({ leadComment, assign, value }: Item): boolean {
  return (
    leadComment === undefined && assign === undefined && value.type === 'object' && value.items.length === 0
  )
}
