import { AclError } from '@latchkey/contract'

/** A position in a text: line and column, both from 1. Columns count characters. */
export interface Place {
  readonly line: number
  readonly column: number
}

const SHOWN_LENGTH_MAX = 40

/** An excerpt for a message: one line, truncated if long. */
export function shown(text: string): string {
  const [line = ''] = text.split('\n', 1)
  const isWhole = line.length === text.length && line.length <= SHOWN_LENGTH_MAX
  return isWhole ? text : `${line.slice(0, SHOWN_LENGTH_MAX)}…`
}

export function rulesProblem({ line, column }: Place, found: string, expected: string): string {
  return `Rules: line ${line}, column ${column}: found ${found}, expected ${expected}`
}

/** @returns AclError `rules_invalid` with the {@link rulesProblem}, line, column and the field `Rules`. */
export function rulesError(place: Place, found: string, expected: string): AclError {
  const { line, column } = place
  const problem = rulesProblem(place, found, expected)
  return new AclError('rules_invalid', problem, { field: 'Rules', line, column })
}
