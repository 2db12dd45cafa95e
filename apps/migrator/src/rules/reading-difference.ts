/** Compares how the source service and Latchkey read a rule text. */
import type { Rule } from '@latchkey/acl'
import { canonicalRules, printPolicy } from '../convert/rules/canonical-rules.ts'
import { isPlain } from './plain-rules.ts'
import { differenceOf, formatRights } from './rights-difference.ts'
import { READING_DIFFERENCES, readAsSource } from './source-reading.ts'

export interface ReadingComparison {
  /** What decisions the two services make, and why they differ. */
  readonly meanings: string
  readonly isLevelCase: boolean
}

/**
 * @param here the rules as Latchkey reads them; absent if it refuses the text.
 * @returns undefined if the text means the same in both services.
 */
export function findReadingDifference(
  text: string,
  here: readonly Rule[] | undefined,
): ReadingComparison | undefined {
  if (isPlain(text)) return undefined
  const source = readAsSource(text)
  if (source === undefined) {
    return { meanings: 'the source service may read them: ask it what the token may do', isLevelCase: false }
  }
  const { rules: there, differences } = source
  const reasons = [...differences].map((id) => {
    const { there: source, here: latchkey } = READING_DIFFERENCES[id]
    return `(in the source service, ${source}; in Latchkey, ${latchkey})`
  })
  const decisions = decisionsOf(there, here)
  if (decisions === undefined) return undefined
  const isLevelCase = differences.has('level-case') || differences.has('scalar-case')
  return { meanings: [decisions, ...reasons].join(' '), isLevelCase }
}

function decisionsOf(
  there: readonly Rule[] | undefined,
  here: readonly Rule[] | undefined,
): string | undefined {
  if (there === undefined) {
    return here && `the source service refuses the rules; Latchkey allows ${allowedBy(here)}`
  }
  if (here === undefined)
    return `the source service allows ${allowedBy(there)}; Latchkey refuses every use of the token`
  if (formOf(there) === formOf(here)) return undefined
  for (const defaultPolicy of ['deny', 'allow'] as const) {
    const difference = differenceOf(there, here, defaultPolicy)
    if (difference === undefined) continue
    const { gains, losses } = difference
    const parts = [
      ...(losses.length > 0 ? [`the source service allows ${formatRights(losses)}, Latchkey denies it`] : []),
      ...(gains.length > 0 ? [`the source service denies ${formatRights(gains)}, Latchkey allows it`] : []),
    ]
    return `with default policy ${defaultPolicy}, ${parts.join('; ')}`
  }
  return 'the two services read the rules differently'
}

function formOf(rules: readonly Rule[]): string {
  return printPolicy(canonicalRules({ rules }))
}

function allowedBy(rules: readonly Rule[]): string {
  const rights = differenceOf([], rules)?.gains ?? []
  return rights.length === 0 ? 'only what its default policy does' : formatRights(rights)
}
