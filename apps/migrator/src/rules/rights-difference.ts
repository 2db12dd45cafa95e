/** Compares decisions of two rule sets, and says how they differ. */
import { compileAuthorizer, probeQuestions, type Question, type Rule } from '@latchkey/acl'

/** Decisions that differ between two interpretations of a text, such as `write on key "a/b"`. */
export interface RightsDifference {
  readonly gains: readonly string[]
  readonly losses: readonly string[]
}

export function differenceOf(
  before: readonly Rule[],
  after: readonly Rule[],
  defaultPolicy: 'allow' | 'deny' = 'deny',
): RightsDifference | undefined {
  const questions = probeQuestions({ rules: before }, { rules: after })
  const [was, is] = [before, after].map((rules) =>
    compileAuthorizer(
      [
        {
          key: 'rules',
          policyId: '',
          policyName: '',
          path: { via: 'legacy-rules' },
          ruleSet: { rules, warnings: [] },
        },
      ],
      { defaultPolicy },
    ),
  )
  const changed = questions.filter((question) => was?.decide(question) !== is?.decide(question))
  if (changed.length === 0) return undefined
  // A name from the rules is more informative than a probe name derived from it.
  const named = new Set([...before, ...after].map((rule) => rule.segment))
  changed.sort((a, b) => Number(named.has(b.segment ?? '')) - Number(named.has(a.segment ?? '')))
  return {
    gains: changed.filter((question) => is?.decide(question)).map(formatQuestion),
    losses: changed.filter((question) => was?.decide(question)).map(formatQuestion),
  }
}

function formatQuestion({ resource, segment, access }: Question): string {
  return segment === undefined
    ? `${access} on ${resource}`
    : `${access} on ${resource} ${JSON.stringify(segment)}`
}

const RIGHTS_SHOWN_MAX = 3

export function formatDifference({ gains, losses }: RightsDifference): string {
  const parts = [
    { word: 'gains', rights: gains },
    { word: 'loses', rights: losses },
  ].flatMap(({ word, rights }) => (rights.length === 0 ? [] : [`${word} ${formatRights(rights)}`]))
  return parts.join('; ')
}

export function formatRights(rights: readonly string[]): string {
  const rest = rights.length - RIGHTS_SHOWN_MAX
  return `${rights.slice(0, RIGHTS_SHOWN_MAX).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}
