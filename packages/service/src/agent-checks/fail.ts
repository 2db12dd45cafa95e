import type { Answer, Call } from '../handler.ts'
import { reportCheck } from './report.ts'

export function failCheckHandler(
  call: Call<'agentChecks.fail'>,
): Answer<'agentChecks.fail'> | Promise<Answer<'agentChecks.fail'>> {
  const { params, query } = call
  return reportCheck(call, params.CheckID, { status: 'critical', output: query.note ?? '' })
}
