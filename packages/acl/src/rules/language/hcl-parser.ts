/** Parses the HCL form of the rule language into a syntax tree. */

import { CommentedTokens } from './hcl-comments.ts'
import { describeToken, readTokens } from './hcl-scanner.ts'
import { rulesError, shown } from './syntax-error.ts'
import {
  type CommentGroup,
  checkDepth,
  type Item,
  type ListNode,
  type Node,
  nodeStart,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from './syntax-tree.ts'

/** @throws AclError `rules_invalid` at the first unexpected token. */
export function parseHcl(text: string): SyntaxTree {
  const tokens = new CommentedTokens(readTokens(text))
  const items: Item[] = []
  while (tokens.peek().type !== 'eof') items.push(parseItem(tokens, 0))
  return { form: 'hcl', items, comments: tokens.comments, faults: [] }
}

function parseItem(tokens: CommentedTokens, depth: number): Item {
  const { keys, end } = parseKeys(tokens)
  const leadComment = tokens.takeLead()
  const assign = end.type === '=' ? end : undefined
  const value = assign === undefined ? parseObject(tokens, end, depth) : parseValue(tokens, depth)
  // `key = # comment` with the value on the next line.
  let lineComment = tokens.takeLine()
  tokens.peek()
  if (nodeStart(value).line === keys[0]?.line) lineComment = tokens.takeLine() ?? lineComment
  if (tokens.next().type !== ',') tokens.pushBack()
  return { keys, assign, value, leadComment: ofItem(leadComment), lineComment: ofItem(lineComment) }
}

function ofItem(group: CommentGroup | undefined): CommentGroup | undefined {
  if (group !== undefined) group.isOfItem = true
  return group
}

/** Parses keys such as `key` or `key "label"`, up to the `=` or `{` that ends them. */
function parseKeys(tokens: CommentedTokens): { keys: Token[]; end: Token } {
  const keys: Token[] = []
  for (;;) {
    const token = tokens.next()
    if (token.type === 'ident' || token.type === 'string') {
      keys.push(token)
      continue
    }
    if (keys.length > 0 && (token.type === '{' || (token.type === '=' && keys.length === 1))) {
      return { keys, end: token }
    }
    throw rulesError(token, describeToken(token), expectedAfterKeys(keys))
  }
}

function expectedAfterKeys(keys: readonly Token[]): string {
  const [kind] = keys
  if (kind === undefined) return 'the kind of a rule, such as key_prefix'
  if (keys.length === 1) return `"=" and a level, or a segment and "{", after ${shown(kind.text)}`
  return `"{" after ${shown(kind.text)} ${shown(keys[1]?.text ?? '')}`
}

function parseValue(tokens: CommentedTokens, depth: number): Node {
  const token = tokens.next()
  switch (token.type) {
    case 'string':
    case 'number':
    case 'bool':
    case 'heredoc':
      return { type: 'literal', token }
    case '{':
      return parseObject(tokens, token, depth)
    case '[':
      return parseList(tokens, token, depth)
    default:
      throw rulesError(token, describeToken(token), 'a value, such as "read"')
  }
}

function parseObject(tokens: CommentedTokens, open: Token, depth: number): ObjectNode {
  checkDepth(open, depth)
  const items: Item[] = []
  for (let token = tokens.peek(); token.type !== '}'; token = tokens.peek()) {
    if (token.type === 'eof') {
      const expected = `"}" for the "{" of line ${open.line}, column ${open.column}`
      throw rulesError(token, describeToken(token), expected)
    }
    items.push(parseItem(tokens, depth + 1))
  }
  return { type: 'object', open, close: tokens.next(), items }
}

function parseList(tokens: CommentedTokens, open: Token, depth: number): ListNode {
  checkDepth(open, depth)
  const elements: Node[] = []
  let needsComma = false
  for (;;) {
    const token = tokens.next()
    if (token.type === ']') return { type: 'list', open, close: token, elements }
    if (token.type === ',') {
      tokens.peek()
      const last = elements.at(-1)
      const comment = last?.type === 'literal' ? tokens.takeLine() : undefined
      if (last?.type === 'literal' && comment !== undefined) {
        if (last.lineComment !== undefined) last.lineComment.isOfItem = false
        last.lineComment = ofItem(comment)
      }
      needsComma = false
      continue
    }
    if (needsComma) throw rulesError(token, describeToken(token), '"," or "]"')
    tokens.pushBack()
    const element = parseValue(tokens, depth + 1)
    elements.push(
      element.type === 'literal' ? { ...element, leadComment: ofItem(tokens.takeLead()) } : element,
    )
    needsComma = true
  }
}
