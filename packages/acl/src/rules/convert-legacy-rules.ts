import { AclError } from '@latchkey/contract'
import { parseLegacyRules, parseRules } from './parse-rules.ts'
import { printRules } from './print-rules.ts'
import { type Translation, type TranslationNote, translateLegacyRules } from './translate-legacy-rules.ts'

/**
 * Makes of legacy rules the text of a policy that decides the same and that the rule language accepts. It is the
 * translation wherever that will do; where the text has what a policy refuses (a segment twice, unknown attributes),
 * it is the rules printed anew, without comments, and a note says so.
 *
 * @throws AclError `rules_invalid` where legacy evaluation cannot read the text either.
 */
export function convertLegacyRules(text: string): Translation {
  const translation = translateLegacyRules(text, { widening: 'comment-out' })
  try {
    parseRules(translation.rules)
    return translation
  } catch (error) {
    if (!(error instanceof AclError)) throw error
    const note: TranslationNote = {
      code: 'printed_anew',
      message: `comments are dropped, as the translation would be refused: ${error.message}`,
      line: 1,
      column: 1,
    }
    return { rules: printRules(parseLegacyRules(text)), notes: [...translation.notes, note] }
  }
}
