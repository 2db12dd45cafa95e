/**
 * The syntax tree of both forms of the rule language, HCL 1 and JSON. It keeps every comment, and the text and position
 * of every token, for rewriting and printing.
 */
import type { AclError } from '@latchkey/contract'
import { type Place, rulesError } from './syntax-error.ts'

export type TokenType =
  | 'ident'
  | 'string'
  | 'number'
  | 'bool'
  | 'null'
  | 'heredoc'
  | 'comment'
  | 'eof'
  | '{'
  | '}'
  | '['
  | ']'
  | '='
  | ','
  | ':'

/** `text` is the token as written, including quotes; `value` is decoded. */
export interface Token extends Place {
  readonly type: TokenType
  readonly text: string
  readonly value: string
  readonly offset: number
}

export interface CommentGroup {
  readonly comments: readonly Token[]
  /** Whether an item or a literal has the group as its comment; otherwise it is standalone. */
  isOfItem: boolean
}

export interface Literal {
  readonly type: 'literal'
  readonly token: Token
  readonly leadComment?: CommentGroup | undefined
  lineComment?: CommentGroup | undefined
}

export interface ObjectNode {
  readonly type: 'object'
  readonly open: Token
  readonly close: Token
  readonly items: readonly Item[]
}

export interface ListNode {
  readonly type: 'list'
  readonly open: Token
  readonly close: Token
  readonly elements: readonly Node[]
}

export type Node = Literal | ObjectNode | ListNode

/** `key = value`, `key { … }` or `key "label" { … }`. */
export interface Item {
  /** At least one key. The first names the item, the others are labels. */
  readonly keys: readonly Token[]
  /** The `=` (or `:` in JSON); absent if a block follows the keys. */
  readonly assign?: Token | undefined
  readonly value: Node
  readonly leadComment?: CommentGroup | undefined
  /** A comment on the same line, after the value. */
  readonly lineComment?: CommentGroup | undefined
}

export interface SyntaxTree {
  readonly form: 'hcl' | 'json'
  readonly items: readonly Item[]
  /** Every comment of the text, including comments of items. */
  readonly comments: readonly CommentGroup[]
  /** Errors that the reference tolerates and a strict reader refuses. */
  readonly faults: readonly AclError[]
}

export function firstKey(item: Item): Token {
  const [key] = item.keys
  if (key === undefined) throw new TypeError('an item without a key')
  return key
}

export function nodeStart(node: Node): Token {
  return node.type === 'literal' ? node.token : node.open
}

/** Maximum nesting of `{` and `[`. Rules need 3; the limit bounds the stack depth of every tree walk. */
const SYNTAX_DEPTH_MAX = 64

/**
 * Checks that another list or object may be opened.
 * @param open the first token of the list or object.
 * @param depth the number of open lists and objects around it.
 */
export function checkDepth(open: Token, depth: number): void {
  if (depth < SYNTAX_DEPTH_MAX) return
  throw rulesError(open, `"${open.text}"`, `at most ${SYNTAX_DEPTH_MAX} levels of nesting`)
}
