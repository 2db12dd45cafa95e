/** Converts the tree of a JSON text to a tree that prints as HCL. */
import { readTokens } from '../language/hcl-scanner.ts'
import { encodeHclString } from '../language/hcl-string.ts'
import type { Item, Node, ObjectNode, SyntaxTree, Token } from '../language/syntax-tree.ts'

/**
 * Objects of objects, and lists of objects, become blocks with labels: `{"key":{"a":{…},"b":{…}}}` becomes
 * `key "a" {…}` and `key "b" {…}`. An HCL tree is returned unchanged.
 */
export function jsonToHcl(tree: SyntaxTree): SyntaxTree {
  if (tree.form === 'hcl') return tree
  return { ...tree, items: flattenItems(tree.items) }
}

function flattenItems(items: readonly Item[]): Item[] {
  const found: Item[] = []
  for (const item of items) flatten(keysAsHcl(item), item.value, found)
  return found
}

function flatten(keys: readonly Token[], value: Node, found: Item[]): void {
  if (isObject(value) && value.items.length > 0 && value.items.every((item) => isObject(item.value))) {
    for (const item of value.items) flatten([...keys, ...keysAsHcl(item)], item.value, found)
    return
  }
  if (value.type === 'list' && value.elements.length > 0 && value.elements.every(isObject)) {
    for (const element of value.elements) flatten(keys, element, found)
    return
  }
  const [first] = keys
  if (first !== undefined) found.push({ keys, assign: first, value: flattenNode(value) })
}

function flattenNode(node: Node): Node {
  switch (node.type) {
    case 'literal':
      return { ...node, token: asHcl(node.token) }
    case 'list':
      return { ...node, elements: node.elements.map(flattenNode) }
    case 'object':
      return { ...node, items: flattenItems(node.items) }
  }
}

function isObject(node: Node): node is ObjectNode {
  return node.type === 'object'
}

function keysAsHcl({ keys }: Item): Token[] {
  return keys.map(asHcl)
}

/** The token in HCL syntax, re-encoded only if its text has a different meaning in HCL. */
function asHcl(token: Token): Token {
  if (token.type !== 'string' || meansTheSameInHcl(token)) return token
  return { ...token, text: encodeHclString(token.value) }
}

function meansTheSameInHcl(token: Token): boolean {
  // Undefined for an escape that exists only in JSON, or for an unterminated `${`.
  const [read] = readTokens(token.text).tokens
  return read?.text === token.text && read.value === token.value
}
