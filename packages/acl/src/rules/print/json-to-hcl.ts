/** Converts the tree of a JSON text to a tree that prints as HCL. */
import { Pace, type Sliced } from '../../turns.ts'
import { readTokens } from '../language/hcl-scanner.ts'
import { encodeHclString } from '../language/hcl-string.ts'
import type { Item, Node, ObjectNode, SyntaxTree, Token } from '../language/syntax-tree.ts'

/**
 * Objects of objects, and lists of objects, become blocks with labels: `{"key":{"a":{…},"b":{…}}}` becomes
 * `key "a" {…}` and `key "b" {…}`. An HCL tree is returned unchanged.
 */
export function* jsonToHcl(tree: SyntaxTree): Sliced<SyntaxTree> {
  if (tree.form === 'hcl') return tree
  return { ...tree, items: yield* flattenItems(tree.items, new Pace()) }
}

function* flattenItems(items: readonly Item[], pace: Pace): Sliced<Item[]> {
  const found: Item[] = []
  for (const item of items) yield* flatten(yield* keysAsHcl(item, pace), item.value, { pace, found })
  return found
}

/** Collects the items of `keys: value`. */
function* flatten(
  keys: readonly Token[],
  value: Node,
  gathering: { readonly pace: Pace; readonly found: Item[] },
): Sliced<void> {
  const { pace, found } = gathering
  if (pace.isDue()) yield
  if (isObject(value) && value.items.length > 0 && value.items.every((item) => isObject(item.value))) {
    for (const item of value.items)
      yield* flatten([...keys, ...(yield* keysAsHcl(item, pace))], item.value, gathering)
    return
  }
  if (value.type === 'list' && value.elements.length > 0 && value.elements.every(isObject)) {
    for (const element of value.elements) yield* flatten(keys, element, gathering)
    return
  }
  const [first] = keys
  if (first !== undefined) found.push({ keys, assign: first, value: yield* flattenNode(value, pace) })
}

function* flattenNode(node: Node, pace: Pace): Sliced<Node> {
  if (pace.isDue()) yield
  switch (node.type) {
    case 'literal':
      return { ...node, token: yield* asHcl(node.token) }
    case 'list': {
      const elements: Node[] = []
      for (const element of node.elements) elements.push(yield* flattenNode(element, pace))
      return { ...node, elements }
    }
    case 'object':
      return { ...node, items: yield* flattenItems(node.items, pace) }
  }
}

function isObject(node: Node): node is ObjectNode {
  return node.type === 'object'
}

function* keysAsHcl({ keys }: Item, pace: Pace): Sliced<Token[]> {
  const written: Token[] = []
  for (const key of keys) {
    if (pace.isDue(STEPS_PER_STRING)) yield
    written.push(yield* asHcl(key))
  }
  return written
}

/** The cost of tokenizing a string again. */
const STEPS_PER_STRING = 4

/** The token in HCL syntax, re-encoded only if its text has a different meaning in HCL. */
function* asHcl(token: Token): Sliced<Token> {
  if (token.type !== 'string' || (yield* meansTheSameInHcl(token))) return token
  return { ...token, text: encodeHclString(token.value) }
}

function* meansTheSameInHcl(token: Token): Sliced<boolean> {
  // Undefined for an escape that exists only in JSON, or for an unterminated `${`.
  const [read] = (yield* readTokens(token.text)).tokens
  return read?.text === token.text && read.value === token.value
}
