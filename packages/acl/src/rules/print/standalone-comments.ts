/** The comments of a tree that belong to no item. */
import type { CommentGroup, Item, Node, SyntaxTree, Token } from '../language/syntax-tree.ts'

export class StandaloneComments {
  /** Comments in the order of the text. */
  private readonly comments: readonly { readonly comment: Token; readonly group: CommentGroup }[]

  constructor(tree: SyntaxTree) {
    const owned = new Set<CommentGroup>()
    for (const item of tree.items) collectOwned(item, owned)
    this.comments = tree.comments
      .filter((group) => !owned.has(group))
      .flatMap((group) => group.comments.map((comment) => ({ comment, group })))
  }

  /** The comments between two offsets, by group. */
  *between(after: number, before: number): Generator<readonly Token[]> {
    let group: CommentGroup | undefined
    let members: Token[] = []
    for (let index = this.firstAfter(after); index < this.comments.length; index++) {
      const entry = this.comments[index]
      if (entry === undefined || entry.comment.offset >= before) break
      if (entry.group !== group && members.length > 0) {
        yield members
        members = []
      }
      group = entry.group
      members.push(entry.comment)
    }
    if (members.length > 0) yield members
  }

  hasBetween(after: number, before: number): boolean {
    const first = this.comments[this.firstAfter(after)]
    return first !== undefined && first.comment.offset < before
  }

  private firstAfter(offset: number): number {
    let low = 0
    let high = this.comments.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.comments[middle]?.comment.offset ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}

function collectOwned(item: Item, owned: Set<CommentGroup>): void {
  if (item.leadComment !== undefined) owned.add(item.leadComment)
  if (item.lineComment !== undefined) owned.add(item.lineComment)
  collectOwnedInside(item.value, owned)
}

function collectOwnedInside(node: Node, owned: Set<CommentGroup>): void {
  switch (node.type) {
    case 'literal':
      if (node.leadComment !== undefined) owned.add(node.leadComment)
      if (node.lineComment !== undefined) owned.add(node.lineComment)
      return
    case 'list':
      for (const element of node.elements) collectOwnedInside(element, owned)
      return
    case 'object':
      for (const item of node.items) collectOwned(item, owned)
  }
}
