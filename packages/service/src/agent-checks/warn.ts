import type { Answer, Call } from '../handler.ts'
import { reportCheck } from './report.ts'

export function warnCheckHandler(
  call: Call<'agentChecks.warn'>,
): Answer<'agentChecks.warn'> | Promise<Answer<'agentChecks.warn'>> {
  const { params, query } = call
  return reportCheck(call, params.CheckID, { status: 'warning', output: query.note ?? '' })
}
