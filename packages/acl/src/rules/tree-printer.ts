/**
 * Prints a syntax tree as HCL, laid out as the reference lays out translated rules: two blanks of indent, adjacent
 * one-line items aligned, comments kept. Upgrade reference 3.3.
 */
import { LineWriter } from './line-writer.ts'
import {
  firstKey,
  type Item,
  type ListNode,
  type Literal,
  type Node,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from './syntax-tree.ts'
import { byteLength, literalText, TreeLayout, widthOf } from './tree-layout.ts'

export interface PrintTreeOptions {
  /** Why an item must not take effect: it is printed as a comment below this reason. Undefined: it takes effect. */
  readonly commentOut?: (item: Item) => string | undefined
}

/** No line end at the end, unless a comment ends the text; an empty tree is an empty text. */
export function printTree(tree: SyntaxTree, options: PrintTreeOptions = {}): string {
  return new TreePrinter(new TreeLayout(tree), options).print(tree.items)
}

class TreePrinter {
  readonly #layout: TreeLayout
  readonly #options: PrintTreeOptions
  #out = new LineWriter()
  /** Offset of what was printed last; comments that stand alone after it are still to be printed. */
  #previous = -1

  constructor(layout: TreeLayout, options: PrintTreeOptions) {
    this.#layout = layout
    this.#options = options
  }

  print(items: readonly Item[]): string {
    const out = this.#out
    for (const [index, item] of items.entries()) {
      for (const group of this.#layout.comments.between(this.#previous, firstKey(item).offset)) {
        for (const comment of group) this.#commentLine(comment)
        out.newline()
      }
      this.#printAlone(item)
      const next = items[index + 1]
      if (next === undefined) continue
      out.newline()
      const isAdjacent = this.#layout.lineOf(next) === this.#layout.lineOf(item) + 1
      if (!(isAdjacent && isEmptyBlock(item) && isEmptyBlock(next))) out.newline()
    }
    for (const group of this.#layout.comments.between(this.#previous, Number.POSITIVE_INFINITY)) {
      if (this.#previous !== -1) {
        out.newline()
        out.newline()
      }
      for (const comment of group) this.#commentLine(comment)
    }
    return out.toString()
  }

  #printAlone(item: Item): void {
    this.#previous = firstKey(item).offset
    this.#printItem(item, () => {
      const out = this.#out
      for (const key of item.keys) this.#printKey(key, 1)
      if (item.assign !== undefined && item.keys.length === 1) out.write('= ')
      this.#printNode(item.value)
      this.#printLineComment(item, 1)
    })
  }

  /** The comments above an item, and the item; as a comment itself where it must not take effect. */
  #printItem(item: Item, printBody: () => void): void {
    for (const comment of item.leadComment?.comments ?? []) this.#commentLine(comment)
    if (!this.#layout.endsWithLineComment(item)) {
      for (const comment of item.lineComment?.comments ?? []) this.#commentLine(comment)
    }
    const reason = this.#options.commentOut?.(item)
    if (reason === undefined) {
      printBody()
      return
    }
    this.#out.commentedOut(() => {
      this.#out.write(reason)
      this.#out.newline()
      printBody()
    })
  }

  /** A key over several lines is a name with line ends in it; the reference indents them, and so changes the name. */
  #printKey(key: Token, gapWidth: number): void {
    this.#out.writeText(key.text, { isFixed: true })
    this.#out.write(' '.repeat(gapWidth))
  }

  #printLineComment(item: Item, gapWidth: number): void {
    if (item.lineComment === undefined || !this.#layout.endsWithLineComment(item)) return
    this.#out.write(' '.repeat(gapWidth))
    for (const comment of item.lineComment.comments) this.#out.writeText(comment.text, { isFixed: false })
  }

  #commentLine(comment: Token): void {
    this.#out.writeText(comment.text, { isFixed: false })
    this.#out.newline()
  }

  #printNode(node: Node): void {
    if (node.type === 'literal') this.#out.writeText(literalText(node), { isFixed: true })
    else if (node.type === 'object') this.#printObject(node)
    else if (this.#layout.isOneLineList(node)) this.#printOneLineList(node)
    else this.#printList(node)
  }

  #printObject(object: ObjectNode): void {
    const { items } = object
    const out = this.#out
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
      for (const group of this.#layout.comments.between(this.#previous, end.offset)) {
        endOpenLine()
        wasCommented ||= index > 0
        this.#printGroup(group, { isBetweenItems: index > 0 })
        if (next !== undefined && this.#layout.lineOf(next) !== (group.at(-1)?.line ?? 0) + 1) out.newline()
      }
      if (next === undefined) break
      endOpenLine()
      if (!wasCommented && index > 0) out.newline()
      const aligned = this.#layout.alignedFrom(items, index, this.#previous)
      out.indented(() => (aligned.length > 0 ? this.#printAligned(aligned) : this.#printAlone(next)))
      out.newline()
      index += Math.max(aligned.length, 1)
    }
    this.#previous = object.close.offset
    out.write('}')
  }

  /** Comments inside a block that belong to none of its items. */
  #printGroup(group: readonly Token[], options: { readonly isBetweenItems: boolean }): void {
    const out = this.#out
    for (const [position, comment] of group.entries()) {
      // Above the first item the reference joins the comments of a group, which is harmless unless one of several
      // lines would begin inside the one before.
      const mustNotJoin = comment.text.includes('\n') && group[position - 1]?.text.startsWith('/*') === false
      if (options.isBetweenItems || mustNotJoin) out.newline()
      else if (position > 0) out.write('  ')
      out.indented(() => out.writeText(comment.text, { isFixed: true }))
    }
    out.newline()
  }

  #printAligned(items: readonly Item[]): void {
    for (const item of items) this.#previous = firstKey(item).offset
    const values = items.map((item) => this.#printApart(item.value))
    const keyWidth = Math.max(...items.map((item) => byteLength(firstKey(item).text)))
    const valueWidths = values.map(widthOf)
    const valueWidth = Math.max(...valueWidths)
    for (const [index, item] of items.entries()) {
      if (index > 0) this.#out.newline()
      this.#printItem(item, () => {
        for (const [position, key] of item.keys.entries()) {
          // The reference pads by the first keys alone, which joins two words where a label is longer.
          const gapWidthMin = key.type === 'ident' && position < item.keys.length - 1 ? 1 : 0
          this.#printKey(key, Math.max(keyWidth - byteLength(key.text) + 1, gapWidthMin))
        }
        if (item.keys.length === 1) this.#out.write('= ')
        this.#out.writeText(values[index] ?? '', { isFixed: true })
        this.#printLineComment(item, valueWidth - (valueWidths[index] ?? 0) + 1)
      })
    }
  }

  /** A value as a text of its own, to be measured. */
  #printApart(node: Node): string {
    const out = this.#out
    this.#out = new LineWriter()
    this.#printNode(node)
    const text = this.#out.toString()
    this.#out = out
    return text
  }

  #printList(list: ListNode): void {
    const out = this.#out
    const literals = list.elements.filter((element): element is Literal => element.type === 'literal')
    const longest = Math.max(0, ...literals.map((literal) => byteLength(literal.token.text)))
    out.write('[')
    out.newline()
    let isAfterEmptyLine = false
    for (const [index, element] of list.elements.entries()) {
      const { leadComment, lineComment, token } = element.type === 'literal' ? element : NO_LITERAL
      if (leadComment !== undefined) {
        if (!isAfterEmptyLine && index > 0) out.newline()
        out.indented(() => {
          for (const comment of leadComment.comments) this.#commentLine(comment)
        })
      }
      out.indented(() => {
        this.#printNode(element)
        // The end of a here-document must be alone on its line.
        if (token?.type === 'heredoc') out.newline()
        out.write(',')
        if (lineComment === undefined) return
        const width = token === undefined ? 0 : widthOf(literalText({ type: 'literal', token }))
        out.write(' '.repeat(1 + Math.max(longest - width, 0)))
        for (const comment of lineComment.comments) out.writeText(comment.text, { isFixed: false })
      })
      out.newline()
      isAfterEmptyLine = leadComment !== undefined && index !== list.elements.length - 1
      if (isAfterEmptyLine) out.newline()
    }
    out.write(']')
  }

  #printOneLineList(list: ListNode): void {
    this.#out.write('[')
    for (const [index, element] of list.elements.entries()) {
      if (index > 0) this.#out.write(', ')
      this.#printNode(element)
      if (element.type === 'literal' && element.token.type === 'heredoc') this.#out.newline()
    }
    this.#out.write(']')
  }
}

const NO_LITERAL: Partial<Literal> = {}

/** `key {}`: may stand close to another. */
function isEmptyBlock({ leadComment, assign, value }: Item): boolean {
  return (
    leadComment === undefined && assign === undefined && value.type === 'object' && value.items.length === 0
  )
}
