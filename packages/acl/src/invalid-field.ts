import { AclError } from '@latchkey/contract'

/** The refusal `field_invalid`. The problem is the whole message. */
export function invalidField(field: string, problem: string): AclError {
  return new AclError('field_invalid', problem, { field })
}
