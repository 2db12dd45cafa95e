/** Turns the tree of a JSON text into one that prints as HCL. */
import { HclScanner } from './hcl-scanner.ts'
import { encodeHclString } from './hcl-string.ts'
import type { Item, Node, ObjectNode, SyntaxTree, Token } from './syntax-tree.ts'

/**
 * Objects of objects, and lists of objects, become blocks with labels: `{"key":{"a":{…},"b":{…}}}` becomes
 * `key "a" {…}` and `key "b" {…}`. A tree of HCL is returned as it is.
 */
export function jsonToHcl(tree: SyntaxTree): SyntaxTree {
  return tree.form === 'hcl' ? tree : { ...tree, items: flattenItems(tree.items) }
}

function flattenItems(items: readonly Item[]): Item[] {
  return items.flatMap((item) => flatten(item.keys.map(asHcl), item.value))
}

/** The items that `keys: value` stands for. */
function flatten(keys: readonly Token[], value: Node): Item[] {
  if (
    value.type === 'object' &&
    value.items.length > 0 &&
    value.items.every((item) => item.value.type === 'object')
  ) {
    return value.items.flatMap((item) => flatten([...keys, ...item.keys.map(asHcl)], item.value))
  }
  if (value.type === 'list' && value.elements.length > 0 && value.elements.every(isObject)) {
    return value.elements.flatMap((element) => flatten(keys, element))
  }
  const [first] = keys
  return first === undefined ? [] : [{ keys, assign: first, value: flattenNode(value) }]
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

/** A token as HCL writes it: the same text, unless that would mean something else there. */
function asHcl(token: Token): Token {
  if (token.type !== 'string' || meansTheSameInHcl(token)) return token
  return { ...token, text: encodeHclString(token.value) }
}

function meansTheSameInHcl(token: Token): boolean {
  try {
    const read = new HclScanner(token.text).next()
    return read.text === token.text && read.value === token.value
  } catch {
    // An escape that only JSON knows, or a `${` without its end.
    return false
  }
}
