/** Parses the HCL form of the rule language into a syntax tree. */

import { Pace, type Sliced } from '../../turns.ts'
import { CommentedTokens } from './hcl-comments.ts'
import { describeToken, readTokens } from './hcl-scanner.ts'
import { rulesError, shown } from './syntax-error.ts'
import {
  checkDepth,
  type Item,
  type ListNode,
  type Literal,
  type Node,
  nodeStart,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from './syntax-tree.ts'

/** @throws AclError `rules_invalid` at the first unexpected token. */
export function* parseHcl(text: string): Sliced<SyntaxTree> {
  const tokens = new CommentedTokens(yield* readTokens(text))
  const reading: Reading = { tokens, pace: new Pace() }
  const items: Item[] = []
  while (tokens.peek().type !== 'eof') items.push(yield* parseItem(reading, 0))
  return { form: 'hcl', items, comments: tokens.comments, faults: [] }
}

interface Reading {
  readonly tokens: CommentedTokens
  readonly pace: Pace
}

function* parseItem(reading: Reading, depth: number): Sliced<Item> {
  const { tokens } = reading
  const { keys, end } = yield* parseKeys(reading)
  const leadComment = tokens.takeLead()
  const assign = end.type === '=' ? end : undefined
  const value =
    assign === undefined ? yield* parseObject(reading, end, depth) : yield* parseValue(reading, depth)
  // `key = # comment` with the value on the next line.
  let lineComment = tokens.takeLine()
  tokens.peek()
  if (nodeStart(value).line === keys[0]?.line) lineComment = tokens.takeLine() ?? lineComment
  if (tokens.next().type !== ',') tokens.pushBack()
  return {
    keys,
    ...(assign === undefined ? {} : { assign }),
    value,
    ...(leadComment === undefined ? {} : { leadComment }),
    ...(lineComment === undefined ? {} : { lineComment }),
  }
}

/** Parses keys such as `key` or `key "label"`, up to the `=` or `{` that ends them. */
function* parseKeys({ tokens, pace }: Reading): Sliced<{ keys: Token[]; end: Token }> {
  const keys: Token[] = []
  for (;;) {
    if (pace.isDue()) yield
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

function* parseValue(reading: Reading, depth: number): Sliced<Node> {
  const token = reading.tokens.next()
  switch (token.type) {
    case 'string':
    case 'number':
    case 'bool':
    case 'heredoc':
      return { type: 'literal', token }
    case '{':
      return yield* parseObject(reading, token, depth)
    case '[':
      return yield* parseList(reading, token, depth)
    default:
      throw rulesError(token, describeToken(token), 'a value, such as "read"')
  }
}

function* parseObject(reading: Reading, open: Token, depth: number): Sliced<ObjectNode> {
  const { tokens } = reading
  checkDepth(open, depth)
  const items: Item[] = []
  for (let token = tokens.peek(); token.type !== '}'; token = tokens.peek()) {
    if (token.type === 'eof') {
      throw rulesError(
        token,
        describeToken(token),
        `"}" for the "{" of line ${open.line}, column ${open.column}`,
      )
    }
    items.push(yield* parseItem(reading, depth + 1))
  }
  return { type: 'object', open, close: tokens.next(), items }
}

function* parseList(reading: Reading, open: Token, depth: number): Sliced<ListNode> {
  const { tokens, pace } = reading
  checkDepth(open, depth)
  const elements: Node[] = []
  let needsComma = false
  for (;;) {
    if (pace.isDue()) yield
    const token = tokens.next()
    if (token.type === ']') return { type: 'list', open, close: token, elements }
    if (token.type === ',') {
      tokens.peek()
      const last = elements.at(-1)
      const comment = last?.type === 'literal' ? tokens.takeLine() : undefined
      if (last?.type === 'literal' && comment !== undefined) last.lineComment = comment
      needsComma = false
      continue
    }
    if (needsComma) throw rulesError(token, describeToken(token), '"," or "]"')
    tokens.pushBack()
    const element = yield* parseValue(reading, depth + 1)
    elements.push(element.type === 'literal' ? withLead(element, tokens) : element)
    needsComma = true
  }
}

function withLead(literal: Literal, tokens: CommentedTokens): Literal {
  const leadComment = tokens.takeLead()
  return leadComment === undefined ? literal : { ...literal, leadComment }
}
