/**
 * How versions before 1.4.0 interpret a text that names a segment twice: the last rule wins. Later versions use the
 * first match in the order deny, write, list, read.
 */
import { parseLegacyRules, type Rule, type RuleSet } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'

/**
 * The rules as versions before 1.4.0 interpret them. @param merged the same text as later versions read it.
 * @returns undefined if the blocks of the text cannot be separated.
 */
export function lastWins(text: string, merged: RuleSet): readonly Rule[] | undefined {
  const duplicates = merged.warnings.filter((warning) => warning.code === 'duplicate_merged')
  const starts = [...merged.rules, ...merged.warnings]
    .map(({ line, column }) => offsetOf(text, line, column))
    .sort((a, b) => a - b)
  const rules = new Map(merged.rules.map((rule) => [keyOf(rule), rule]))
  // Parse the first block of each segment separately, too: after merging, it may have the level of a later block.
  const places = [...merged.rules, ...duplicates]
    .map(({ line, column }) => offsetOf(text, line, column))
    .sort((a, b) => a - b)
  for (const start of places) {
    const end = starts.find((other) => other > start) ?? text.length
    const alone = readAlone(text.slice(start, end))
    if (alone === undefined || !rules.has(keyOf(alone))) return undefined
    rules.set(keyOf(alone), alone)
  }
  return [...rules.values()]
}

function readAlone(block: string): Rule | undefined {
  try {
    const { rules } = parseLegacyRules(block)
    return rules.length === 1 ? rules[0] : undefined
  } catch (error) {
    if (error instanceof AclError) return undefined
    throw error
  }
}

function keyOf({ kind, match, segment }: Rule): string {
  return `${kind} ${match} ${segment}`
}

function offsetOf(text: string, line: number, column: number): number {
  let offset = 0
  for (let i = 1; i < line; i++) offset = text.indexOf('\n', offset) + 1
  return offset + column - 1
}
