import { isCheckStatus } from '@latchkey/acl'
import { AclError, shorten } from '@latchkey/contract'
import type { Answer, Call } from '../handler.ts'
import { reportCheck } from './report.ts'

/** @throws AclError `field_invalid` for an invalid status. */
export function updateCheckHandler(
  call: Call<'agentChecks.update'>,
): Answer<'agentChecks.update'> | Promise<Answer<'agentChecks.update'>> {
  const { params, body } = call
  const { Status = '', Output = '' } = body
  if (!isCheckStatus(Status)) {
    throw new AclError('field_invalid', `Invalid check status: '${shorten(Status)}'`, { field: 'Status' })
  }
  return reportCheck(call, params.CheckID, { status: Status, output: Output })
}
