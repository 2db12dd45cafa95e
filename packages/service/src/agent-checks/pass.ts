import type { Answer, Call } from '../handler.ts'
import { reportCheck } from './report.ts'

export function passCheckHandler(
  call: Call<'agentChecks.pass'>,
): Answer<'agentChecks.pass'> | Promise<Answer<'agentChecks.pass'>> {
  const { params, query } = call
  return reportCheck(call, params.CheckID, { status: 'passing', output: query.note ?? '' })
}
