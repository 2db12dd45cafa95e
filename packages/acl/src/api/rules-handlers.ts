/** Rule texts: translation of legacy ones. Spec 9.1; reference 7; decisions: upgrade. */
import { AclError, decodeUtf8 } from '@latchkey/contract'
import { checkPathId } from '../ids.ts'
import { translateLegacyRules } from '../rules/translate-legacy-rules.ts'
import { type Answer, type Call, notFound } from './call.ts'
import { findToken } from './token-handlers.ts'

/** The body is a rule text, not JSON, and so is the answer. */
export function translateRulesHandler(call: Call): Answer {
  return translated(decodeUtf8(call.body))
}

export async function translateTokenHandler(call: Call): Promise<Answer> {
  const accessorId = call.params.AccessorID ?? ''
  checkPathId(accessorId, 'token', 'AccessorID')
  const token = await findToken(call, accessorId)
  if (!token) throw notFound('Requested token')
  if (token.Rules === '') {
    throw new AclError('legacy_rules_missing', 'The specified token does not have any rules set')
  }
  return translated(token.Rules)
}

/** Never widens rights: what legacy evaluation ignored is commented out, and the text says so. */
function translated(legacyRules: string): Answer {
  const { rules } = translateLegacyRules(legacyRules, { widening: 'comment-out' })
  const bytes = new TextEncoder().encode(rules)
  return { body: { kind: 'bytes', bytes, contentType: 'text/plain; charset=utf-8' } }
}
