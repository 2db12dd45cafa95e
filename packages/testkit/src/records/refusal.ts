import { AclError, type AclErrorCode } from '@latchkey/contract'
import { expect } from 'vitest'

interface Refusal {
  readonly code: AclErrorCode
  readonly field: string | undefined
  readonly message: string
}

/** The refusal that a rule throws; fails if it throws none. */
export function refusalOf(rule: () => unknown): Refusal {
  try {
    rule()
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    return { code: error.code, field: error.details.field, message: error.message }
  }
  return expect.fail('nothing was refused')
}
