/** Parses the HCL form of the rule language into a syntax tree. */
import { newlinesIn } from './cursor.ts'
import { describeToken, type ReadTokens, readTokens } from './hcl-scanner.ts'
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

/**
 * Attaches comments as HCL 1 does: a group on the lines just above a token is the lead comment of its item; a comment
 * after a token on the same line is the item's line comment. All others are standalone. A lead or line comment stays
 * available until an item takes it, so a comment in an unusual place is attached to the next item.
 */
class CommentedTokens {
  private readonly read: ReadTokens
  private index = 0
  readonly comments: CommentGroup[] = []
  private current: Token | undefined
  private pushedBack = false
  private lead: CommentGroup | undefined
  private line: CommentGroup | undefined

  constructor(read: ReadTokens) {
    this.read = read
  }

  next(): Token {
    if (this.pushedBack && this.current !== undefined) {
      this.pushedBack = false
      return this.current
    }
    const previousLine = this.current?.line
    let token = this.take()
    if (token.type === 'comment') token = this.readComments(token, previousLine)
    this.current = token
    return token
  }

  pushBack(): void {
    this.pushedBack = true
  }

  peek(): Token {
    const token = this.next()
    this.pushBack()
    return token
  }

  /** The comment above the tokens just read, unless taken already. */
  takeLead(): CommentGroup | undefined {
    const group = this.lead
    this.lead = undefined
    return group
  }

  /** The comment at the end of the line just read, unless taken already. */
  takeLine(): CommentGroup | undefined {
    const group = this.line
    this.line = undefined
    return group
  }

  /** The next token, including comments; after the last token, always `eof`. */
  private take(): Token {
    const token = this.read.tokens[this.index] ?? this.read.tokens.at(-1)
    if (this.index === this.read.tokens.length && this.read.fault !== undefined) throw this.read.fault
    if (token === undefined) throw new TypeError('a token list ends with eof')
    if (this.index < this.read.tokens.length) this.index++
    return token
  }

  private readComments(first: Token, previousLine: number | undefined): Token {
    let token = first
    let group: CommentGroup | undefined
    let endLine = -1
    if (first.line === previousLine) {
      const read = this.readGroup(token, 0)
      token = read.next
      if (token.line !== read.endLine) this.line = read.group
    }
    while (token.type === 'comment') {
      const read = this.readGroup(token, 1)
      token = read.next
      group = read.group
      endLine = read.endLine
    }
    if (endLine + 1 === token.line && token.type !== '}' && token.type !== ']') this.lead = group
    return token
  }

  /** Comments that each begin at most `gap` lines below the end of the previous one. */
  private readGroup(first: Token, gap: number): { group: CommentGroup; endLine: number; next: Token } {
    const comments: Token[] = []
    let token = first
    let endLine = first.line
    while (token.type === 'comment' && token.line <= endLine + gap) {
      comments.push(token)
      endLine = token.line + (token.text.startsWith('/*') ? newlinesIn(token.text).count : 0)
      token = this.take()
    }
    const group = { comments, isOfItem: false }
    this.comments.push(group)
    return { group, endLine, next: token }
  }
}
