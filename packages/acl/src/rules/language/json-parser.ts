/** Parses the JSON form of the rule language into the same syntax tree as the HCL form. */
import type { AclError } from '@latchkey/contract'
import { Pace, type Sliced, stepsOf } from '../../turns.ts'
import { describeJson, JsonScanner } from './json-scanner.ts'
import { rulesError, shown } from './syntax-error.ts'
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
  readonly pace: Pace
  /** Syntax errors that the reference tolerates ("faults"). */
  readonly faults: AclError[]
}

/**
 * Parses a text that begins with `{`. Like the reference, it accepts a lone `{` as an empty object, tolerates trailing
 * commas, and at an unexpected token after a member closes every open object and ignores the rest. Each tolerated error
 * is a fault, which a strict reader throws.
 *
 * @throws AclError `rules_invalid` at the first error that is not tolerated.
 */
export function* parseJson(text: string): Sliced<SyntaxTree> {
  const scanner = new JsonScanner(text)
  const faults: AclError[] = []
  const open = scanner.next()
  if (scanner.peek().type === 'eof') return { form: 'json', items: [], comments: [], faults }
  const root = yield* parseObject({ scanner, pace: new Pace(), faults }, open, 0)
  const rest = faults.length === 0 ? scanner.restOfText() : undefined
  if (rest !== undefined)
    faults.push(rulesError(rest, shown(rest.text), 'the end of the text after the closing "}"'))
  return { form: 'json', items: root.items, comments: [], faults }
}

function* parseObject(reader: Reader, open: Token, depth: number): Sliced<ObjectNode> {
  checkDepth(open, depth)
  const { scanner, pace, faults } = reader
  const items: Item[] = []
  for (;;) {
    const key = scanner.next()
    if (pace.isDue(stepsOf(key.text.length))) yield
    if (key.type === '}' || key.type === 'eof') {
      if (items.length > 0 || key.type === 'eof') {
        faults.push(rulesError(key, describeJson(key), 'a string that names the next member'))
      }
      return { type: 'object', open, close: key, items }
    }
    if (key.type !== 'string') throw rulesError(key, describeJson(key), 'a string that names the next member')
    const assign = scanner.next()
    if (assign.type !== ':') throw rulesError(assign, describeJson(assign), `":" after ${shown(key.text)}`)
    items.push({ keys: [key], assign, value: yield* parseValue(reader, depth + 1) })
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

function* parseValue(reader: Reader, depth: number): Sliced<Node> {
  const token = reader.scanner.next()
  if (reader.pace.isDue(stepsOf(token.text.length))) yield
  switch (token.type) {
    case '{':
      return yield* parseObject(reader, token, depth)
    case '[':
      return yield* parseList(reader, token, depth)
    case 'string':
    case 'number':
    case 'bool':
    case 'null':
      return { type: 'literal', token } satisfies Literal
    default:
      throw rulesError(token, describeJson(token), 'a JSON value')
  }
}

function* parseList(reader: Reader, open: Token, depth: number): Sliced<ListNode> {
  checkDepth(open, depth)
  const { scanner, faults } = reader
  const elements: Node[] = []
  while (scanner.peek().type !== ']') {
    elements.push(yield* parseValue(reader, depth + 1))
    const after = scanner.next()
    if (after.type === ']') return { type: 'list', open, close: after, elements }
    if (after.type !== ',') throw rulesError(after, describeJson(after), '"," or "]"')
  }
  const close = scanner.next()
  if (elements.length > 0) faults.push(rulesError(close, describeJson(close), 'the next element'))
  return { type: 'list', open, close, elements }
}
