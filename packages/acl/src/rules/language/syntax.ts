/** Text to syntax tree, whichever form it has. */
import { AclError, limits } from '@latchkey/contract'
import type { Sliced } from '../../turns.ts'
import { parseHcl } from './hcl-parser.ts'
import { parseJson } from './json-parser.ts'
import { newlinesIn } from './newlines.ts'
import { rulesError } from './syntax-error.ts'
import type { SyntaxTree } from './syntax-tree.ts'

/** Most bytes of UTF-8 that one character of a JavaScript string can take. */
const BYTES_PER_UNIT_MAX = 3

const NO_TEXT = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/

/**
 * Reads a rule text in either form: JSON where its first character is `{`, else HCL 1.
 * Only the form is checked, not what the words mean.
 *
 * @param options isTolerant: what the reference lets pass is left among the tree's faults instead of refused.
 * @throws AclError `rules_invalid` at the first fault; `field_too_long` above RULES_BYTES_MAX.
 */
export function* parseSyntax(
  text: string,
  options: { readonly isTolerant?: boolean } = {},
): Sliced<SyntaxTree> {
  if (text.length * BYTES_PER_UNIT_MAX > limits.RULES_BYTES_MAX) checkLength(text)
  // HCL 1 joins the two characters of a line end before it reads.
  const unixText = text.includes('\r') ? text.replaceAll('\r\n', '\n') : text
  const fault = NO_TEXT.exec(unixText)
  if (fault !== null) {
    const { count, lastAt } = newlinesIn(unixText.slice(0, fault.index))
    const place = { line: count + 1, column: fault.index - lastAt }
    throw rulesError(place, fault[0] === '\0' ? 'a null character' : 'half of a character', 'text')
  }
  const tree = unixText.trimStart().startsWith('{') ? yield* parseJson(unixText) : yield* parseHcl(unixText)
  const [firstFault] = tree.faults
  if (firstFault !== undefined && options.isTolerant !== true) throw firstFault
  return tree
}

function checkLength(text: string): void {
  const length = new TextEncoder().encode(text).length
  if (length <= limits.RULES_BYTES_MAX) return
  throw new AclError(
    'field_too_long',
    `Rules is ${length} bytes long; at most ${limits.RULES_BYTES_MAX} are allowed`,
    { field: 'Rules' },
  )
}
