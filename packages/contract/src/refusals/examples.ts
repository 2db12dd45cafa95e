/** A problem document for every code. */
import { ACL_ERROR_CODES, ACL_ERRORS } from '../errors.ts'
import type { Problem } from './problem.ts'

interface ProblemExample {
  readonly summary: string
  readonly value: Problem
}

export const ERROR_EXAMPLES: Readonly<Record<string, ProblemExample>> = Object.fromEntries(
  ACL_ERROR_CODES.map((code) => {
    const { status, title } = ACL_ERRORS[code]
    const value = {
      type: `urn:latchkey:error:${code}`,
      title,
      status,
      detail: `${title}.`,
      code,
      requestId: 'f3a9c2-1k',
    }
    return [code, { summary: title, value }]
  }),
)
