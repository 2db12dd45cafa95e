/** Parses the JSON form of the rule language into the same syntax tree as the HCL form. */

import type { AclError } from '@latchkey/contract'
import { Cursor } from './cursor.ts'
import { type Place, rulesError, shown } from './syntax-error.ts'
import {
  checkDepth,
  type Item,
  type ListNode,
  type Literal,
  type Node,
  type ObjectNode,
  type SyntaxTree,
  type Token,
} from './syntax-tree.ts'

interface Reader {
  readonly scanner: JsonScanner
  /** Syntax errors that the reference tolerates ("faults"). */
  readonly faults: AclError[]
}

/**
 * Parses a text that begins with `{`. Like the reference, it accepts a lone `{` as an empty object, tolerates
 * trailing commas, and at an unexpected token after a member closes every open object and ignores the rest.
 * Each tolerated error is a fault, which a strict reader throws.
 */
export function parseJson(text: string): SyntaxTree {
  const scanner = new JsonScanner(text)
  const faults: AclError[] = []
  const open = scanner.next()
  if (scanner.peek().type === 'eof') return { form: 'json', items: [], comments: [], faults }
  const root = parseObject({ scanner, faults }, open, 0)
  const rest = faults.length === 0 ? scanner.restOfText() : undefined
  if (rest !== undefined)
    faults.push(rulesError(rest, shown(rest.text), 'the end of the text after the closing "}"'))
  return { form: 'json', items: root.items, comments: [], faults }
}

function parseObject(reader: Reader, open: Token, depth: number): ObjectNode {
  checkDepth(open, depth)
  const { scanner, faults } = reader
  const items: Item[] = []
  for (;;) {
    const key = scanner.next()
    if (key.type === '}' || key.type === 'eof') {
      if (items.length > 0 || key.type === 'eof') {
        faults.push(rulesError(key, describeJson(key), 'a string that names the next member'))
      }
      return { type: 'object', open, close: key, items }
    }
    if (key.type !== 'string') throw rulesError(key, describeJson(key), 'a string that names the next member')
    const assign = scanner.next()
    if (assign.type !== ':') throw rulesError(assign, describeJson(assign), `":" after ${shown(key.text)}`)
    items.push({ keys: [key], assign, value: parseValue(reader, depth + 1) })
    const after = scanner.next()
    if (after.type === ',') continue
    if (after.type !== '}') {
      const expected = `"," or "}" for the "{" of line ${open.line}, column ${open.column}`
      faults.push(rulesError(after, describeJson(after), expected))
      scanner.stop()
    }
    return { type: 'object', open, close: after, items }
  }
}

function parseValue(reader: Reader, depth: number): Node {
  const token = reader.scanner.next()
  switch (token.type) {
    case '{':
      return parseObject(reader, token, depth)
    case '[':
      return parseList(reader, token, depth)
    case 'string':
    case 'number':
    case 'bool':
    case 'null':
      return { type: 'literal', token } satisfies Literal
    default:
      throw rulesError(token, describeJson(token), 'a JSON value')
  }
}

function parseList(reader: Reader, open: Token, depth: number): ListNode {
  checkDepth(open, depth)
  const { scanner, faults } = reader
  const elements: Node[] = []
  while (scanner.peek().type !== ']') {
    elements.push(parseValue(reader, depth + 1))
    const after = scanner.next()
    if (after.type === ']') return { type: 'list', open, close: after, elements }
    if (after.type !== ',') throw rulesError(after, describeJson(after), '"," or "]"')
  }
  const close = scanner.next()
  if (elements.length > 0) faults.push(rulesError(close, describeJson(close), 'the next element'))
  return { type: 'list', open, close, elements }
}

const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const WORD = /true|false|null/y

/** Returns `eof` after the last token and after {@link JsonScanner.stop}. */
class JsonScanner {
  private readonly cursor: Cursor
  private peeked: Token | undefined

  constructor(text: string) {
    this.cursor = new Cursor(text)
  }

  peek(): Token {
    this.peeked ??= this.read()
    return this.peeked
  }

  next(): Token {
    const token = this.peek()
    this.peeked = undefined
    return token
  }

  stop(): void {
    this.cursor.stop()
    this.peeked = undefined
  }

  restOfText(): (Place & { readonly text: string }) | undefined {
    this.cursor.skipBlanks()
    const text = this.cursor.text.slice(this.cursor.offset)
    return text === '' ? undefined : { ...this.cursor.place, text }
  }

  private read(): Token {
    const { cursor } = this
    cursor.skipBlanks()
    const { text, offset: start } = cursor
    if (start === text.length) return cursor.token('eof', start)
    const character = text.charAt(start)
    switch (character) {
      case '{':
      case '}':
      case '[':
      case ']':
      case ':':
      case ',':
        return cursor.token(character, start + 1)
      case '"':
        return readString(cursor)
    }
    const numberEnd = cursor.matchEnd(NUMBER)
    if (numberEnd > start) return cursor.token('number', numberEnd)
    const wordEnd = cursor.matchEnd(WORD)
    if (wordEnd > start) return cursor.token(character === 'n' ? 'null' : 'bool', wordEnd)
    throw cursor.error(JSON.stringify(String.fromCodePoint(text.codePointAt(start) ?? 0)), 'JSON')
  }
}

function readString(cursor: Cursor): Token {
  const end = cursor.matchEnd(STRING)
  const text = cursor.text.slice(cursor.offset, end)
  if (text === '') {
    throw cursor.error('a string that does not end or has a character that must be escaped', 'a JSON string')
  }
  const value = decodeString(text)
  if (!value.isWellFormed()) throw cursor.error(`an unpaired surrogate in ${shown(text)}`, 'valid Unicode')
  return cursor.token('string', end, value)
}

/** `STRING` matched, so `JSON.parse` cannot throw. */
function decodeString(quoted: string): string {
  if (!quoted.includes('\\')) return quoted.slice(1, -1)
  const value: unknown = JSON.parse(quoted)
  return String(value)
}

function describeJson(token: Token): string {
  return token.type === 'eof'
    ? 'the end of the text'
    : token.type === 'string'
      ? shown(token.text)
      : `"${shown(token.text)}"`
}
