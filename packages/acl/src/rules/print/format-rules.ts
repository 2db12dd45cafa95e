/** Formats rule texts. */
import { parseRules } from '../language/parse-rules.ts'
import { parseSyntax } from '../language/syntax.ts'
import { jsonToHcl } from './json-to-hcl.ts'
import { printTree } from './tree-printer.ts'

/**
 * Prints the rules of a policy in the standard layout: HCL with an indent of two, aligned values, and a
 * trailing newline. Keeps comments, order and meaning; converts JSON to HCL. Idempotent.
 */
export function formatRules(text: string): string {
  // Printing would hide an error such as a duplicate name in JSON, so check before.
  parseRules(text)
  // The first pass may move a block comment to a place where the printer indents it; the second pass is stable.
  return format(format(text))
}

function format(source: string) {
  const text = alignComments(source.replaceAll('\r\n', '\n'))
  const printed = printTree(jsonToHcl(parseSyntax(text))).trimEnd()
  return printed === '' ? '' : `${printed}\n`
}

/** Moves the lines of block comments to the left margin, because each pass of the printer would indent them further. */
function alignComments(text: string) {
  const { comments } = parseSyntax(text)
  let aligned = ''
  let end = 0
  for (const comment of comments.flatMap((group) => group.comments)) {
    aligned += text.slice(end, comment.offset) + comment.text.replace(/\n[^\S\n]+/g, '\n')
    end = comment.offset + comment.text.length
  }
  return aligned + text.slice(end)
}
