import { AclError } from '@latchkey/contract'

/** A place in a text: line and column, both from 1; columns count characters. */
export interface Place {
  readonly line: number
  readonly column: number
}

const SHOWN_LENGTH_MAX = 40

/** A piece of the text for a message: one line, cut where it is long. */
export function shown(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const isWhole = line.length === text.length && line.length <= SHOWN_LENGTH_MAX
  return isWhole ? text : `${line.slice(0, SHOWN_LENGTH_MAX)}…`
}

/** What is wrong at a place of a rule text: what was found there, and what was expected instead. */
export function rulesProblem({ line, column }: Place, found: string, expected: string): string {
  return `Rules: line ${line}, column ${column}: found ${found}, expected ${expected}`
}

/**
 * A refusal of a rule text, with its {@link rulesProblem}.
 *
 * @returns AclError `rules_invalid` with line, column and the field `Rules`.
 */
export function rulesError(place: Place, found: string, expected: string): AclError {
  const { line, column } = place
  const problem = rulesProblem(place, found, expected)
  return new AclError('rules_invalid', problem, { field: 'Rules', line, column })
}
