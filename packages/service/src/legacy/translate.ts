/** Translation of legacy rules. Spec 9.1; decisions: rule translation. */
import { translateInSlices } from '@latchkey/acl'
import type { Answer, Call, Context } from '../handler.ts'
import { readInTurns } from '../request/read-in-turns.ts'

/** The body is a rule text, not JSON, and so is the answer. */
export function translateRulesHandler(call: Call<'legacy.translate'>): Promise<Answer<'legacy.translate'>> {
  return translated(call, call.body)
}

/** Never widens rights: rules that legacy evaluation ignored are commented out, with an explanation. */
export async function translated(call: Context, legacyRules: string): Promise<Answer<'legacy.translate'>> {
  const { rules } = await readInTurns(call, legacyRules, () =>
    translateInSlices(legacyRules, { widening: 'comment-out' }),
  )
  return { body: { kind: 'text', text: rules } }
}
