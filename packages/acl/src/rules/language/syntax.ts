/** Parses either form of the rule language into a syntax tree. */
import { AclError, limits, utf8Length } from '@latchkey/contract'
import { newlinesIn } from './cursor.ts'
import { parseHcl } from './hcl-parser.ts'
import { parseJson } from './json-parser.ts'
import { rulesError } from './syntax-error.ts'
import type { SyntaxTree } from './syntax-tree.ts'

const NO_TEXT = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/**
 * Parses a rule text: as JSON if its first character is `{`, otherwise as HCL 1. Checks only the syntax.
 * @param options isTolerant: errors that the reference tolerates are returned as the tree's faults.
 */
export function parseSyntax(text: string, options: { readonly isTolerant?: boolean } = {}): SyntaxTree {
  const { RULES_BYTES_MAX: bytesMax } = limits
  // A UTF-16 unit takes at most three bytes, so most texts need not be encoded.
  const length = text.length * 3 > bytesMax ? utf8Length(text) : 0
  if (length > bytesMax) {
    const message = `Rules is ${length} bytes long; at most ${bytesMax} are allowed`
    throw new AclError('field_too_long', message, { field: 'Rules' })
  }
  // HCL 1 normalizes line ends before it parses.
  const unixText = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text
  const fault = NO_TEXT.exec(unixText)
  if (fault !== null) {
    const { count, lastAt } = newlinesIn(unixText.slice(0, fault.index))
    const place = { line: count + 1, column: fault.index - lastAt }
    throw rulesError(place, fault[0] === '\0' ? 'a null character' : 'an unpaired surrogate', 'text')
  }
  const tree = unixText.trimStart().startsWith('{') ? parseJson(unixText) : parseHcl(unixText)
  const [firstFault] = tree.faults
  if (firstFault !== undefined && options.isTolerant !== true) throw firstFault
  return tree
}
