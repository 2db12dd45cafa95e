import { findLint } from '@latchkey/acl'
import { type Answer, type Call, json } from '../handler.ts'
import { readInTurns } from '../request/read-in-turns.ts'

/** An extension. A syntax error is a finding, not a refusal. */
export async function lintHandler(call: Call<'policies.lint'>): Promise<Answer<'policies.lint'>> {
  const { Rules } = call.body
  const findings = await readInTurns(call, Rules, () => findLint(Rules))
  return json(
    findings.map(({ code, severity, message, line, column }) => ({
      Code: code,
      Severity: severity,
      Message: message,
      Line: line,
      Column: column,
    })),
  )
}
