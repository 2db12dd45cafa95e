/** Reads the JSON form of the rule language into the same syntax tree as the HCL form. */
import { rulesError, shown } from './syntax-error.ts'
import {
  type Item,
  type ListNode,
  type Literal,
  type Node,
  type ObjectNode,
  SYNTAX_DEPTH_MAX,
  type SyntaxTree,
  type Token,
  type TokenType,
} from './syntax-tree.ts'

const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y
const BLANKS = /[ \t\r\n]*/y

/**
 * Reads a text that begins with `{`. A lone `{` is an empty object, as in the reference (6.1); all else is strict
 * JSON with one value.
 *
 * @throws AclError `rules_invalid` at the first character that does not fit.
 */
export function parseJson(text: string): SyntaxTree {
  const tokens = new JsonTokens(text)
  const open = tokens.next()
  if (tokens.peek().type === 'eof') return { form: 'json', items: [], comments: [] }
  const root = parseObject(tokens, open, 0)
  const rest = tokens.next()
  if (rest.type !== 'eof') throw rulesError(rest, describe(rest), 'the end of the text after the closing "}"')
  return { form: 'json', items: root.items, comments: [] }
}

/** Cuts JSON into words, one at a time. */
class JsonTokens {
  readonly #text: string
  #offset = 0
  #line = 1
  #lineStart = 0
  #peeked: Token | undefined

  constructor(text: string) {
    this.#text = text
  }

  peek(): Token {
    this.#peeked ??= this.#read()
    return this.#peeked
  }

  next(): Token {
    const token = this.peek()
    this.#peeked = undefined
    return token
  }

  #read(): Token {
    this.#skipBlanks()
    const start = this.#offset
    if (start === this.#text.length) return this.#token('eof', start)
    const character = this.#text.charAt(start)
    switch (character) {
      case '{':
      case '}':
      case '[':
      case ']':
      case ':':
      case ',':
        return this.#token(character, start + 1)
      case '"': {
        const end = this.#end(STRING)
        if (end === start)
          throw this.#error(
            'a string that does not end or has a character that must be escaped',
            'a JSON string',
          )
        return this.#token('string', end, decodeString(this.#text.slice(start, end)))
      }
    }
    const numberEnd = this.#end(NUMBER)
    if (numberEnd > start) return this.#token('number', numberEnd)
    const wordEnd = this.#end(WORD)
    if (wordEnd > start) return this.#token(character === 'n' ? 'null' : 'bool', wordEnd)
    throw this.#error(JSON.stringify(String.fromCodePoint(this.#text.codePointAt(start) ?? 0)), 'JSON')
  }

  #skipBlanks(): void {
    const end = this.#end(BLANKS)
    for (
      let at = this.#text.indexOf('\n', this.#offset);
      at !== -1 && at < end;
      at = this.#text.indexOf('\n', at + 1)
    ) {
      this.#line++
      this.#lineStart = at + 1
    }
    this.#offset = end
  }

  #end(pattern: RegExp): number {
    pattern.lastIndex = this.#offset
    return pattern.test(this.#text) ? pattern.lastIndex : this.#offset
  }

  #token(type: TokenType, end: number, value?: string): Token {
    const offset = this.#offset
    const text = this.#text.slice(offset, end)
    this.#offset = end
    return {
      type,
      text,
      value: value ?? text,
      offset,
      line: this.#line,
      column: offset - this.#lineStart + 1,
    }
  }

  #error(found: string, expected: string): Error {
    return rulesError({ line: this.#line, column: this.#offset - this.#lineStart + 1 }, found, expected)
  }
}

/** The pattern has checked the form, so the platform's own reader cannot refuse. */
function decodeString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  const value: unknown = JSON.parse(quoted)
  return String(value)
}

function parseObject(tokens: JsonTokens, open: Token, depth: number): ObjectNode {
  checkDepth(open, depth)
  const items: Item[] = []
  for (;;) {
    const key = tokens.next()
    if (key.type === '}' && items.length === 0) return { type: 'object', open, close: key, items }
    if (key.type !== 'string') throw rulesError(key, describe(key), 'a string that names the next member')
    if (!key.value.isWellFormed()) {
      throw rulesError(key, `half of a character in ${shown(key.text)}`, 'whole characters')
    }
    const assign = tokens.next()
    if (assign.type !== ':') throw rulesError(assign, describe(assign), `":" after ${shown(key.text)}`)
    items.push({ keys: [key], assign, value: parseValue(tokens, depth + 1) })
    const after = tokens.next()
    if (after.type === '}') return { type: 'object', open, close: after, items }
    if (after.type !== ',')
      throw rulesError(
        after,
        describe(after),
        `"," or "}" for the "{" of line ${open.line}, column ${open.column}`,
      )
  }
}

function parseValue(tokens: JsonTokens, depth: number): Node {
  const token = tokens.next()
  switch (token.type) {
    case '{':
      return parseObject(tokens, token, depth)
    case '[':
      return parseList(tokens, token, depth)
    case 'string':
    case 'number':
    case 'bool':
    case 'null':
      return { type: 'literal', token } satisfies Literal
    default:
      throw rulesError(token, describe(token), 'a JSON value')
  }
}

function parseList(tokens: JsonTokens, open: Token, depth: number): ListNode {
  checkDepth(open, depth)
  const elements: Node[] = []
  if (tokens.peek().type === ']') return { type: 'list', open, close: tokens.next(), elements }
  for (;;) {
    elements.push(parseValue(tokens, depth + 1))
    const after = tokens.next()
    if (after.type === ']') return { type: 'list', open, close: after, elements }
    if (after.type !== ',') throw rulesError(after, describe(after), '"," or "]"')
  }
}

function checkDepth(open: Token, depth: number): void {
  if (depth < SYNTAX_DEPTH_MAX) return
  throw rulesError(open, `"${open.text}"`, `at most ${SYNTAX_DEPTH_MAX} levels of nesting`)
}

function describe(token: Token): string {
  return token.type === 'eof'
    ? 'the end of the text'
    : token.type === 'string'
      ? shown(token.text)
      : `"${shown(token.text)}"`
}
