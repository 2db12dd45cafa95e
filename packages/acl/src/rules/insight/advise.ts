/** Advice for a denied check: the rule to add, or what to change in the rule that decides. */
import { type AuthorizeAnswer, isScalar, limits, shorten } from '@latchkey/contract'
import { accessesOf, RESOURCES } from '../decide/question.ts'
import { encodeHclString } from '../language/hcl-string.ts'

/** `add`: a rule for any policy of the token. `change`: the new setting of the rule that decides. */
export type Advice = { readonly add: string } | { readonly change: string }

/**
 * What gives a token the right that a check denied. A rule that every policy accepts, and that allows the
 * check; or, if such a rule would be a duplicate, lose against the rule that decides (deny wins, and so does
 * an exact rule) or hide what that rule grants besides, a change of that rule.
 * @param answer with its explanation.
 * @returns `undefined` if the check is allowed or unexplained, if no rule helps because the rules cannot be
 * read, and for a right that does not exist.
 */
export function adviceFor({ Segment = '', Allow, Explanation }: AuthorizeAnswer): Advice | undefined {
  const { Missing, Rule, Path = [] } = Explanation ?? {}
  if (Allow || Missing === undefined || (Rule === undefined && Path[0]?.startsWith(UNREADABLE)))
    return undefined
  const resource = RESOURCES.find((known) => known === Missing.Resource)
  const access = resource && accessesOf(resource).find((known) => known === Missing.Access)
  if (resource === undefined || access === undefined) return undefined
  const level = access === 'write-prefix' ? 'write' : access
  if (isScalar(resource)) {
    const rule = `${resource} = "${level}"`
    return Rule?.Kind === resource ? { change: rule } : { add: rule }
  }
  const isIntention = resource === 'intention'
  const isTree = level !== access || access === 'list' || (isIntention && Segment === '*')
  const keyword = `${isIntention ? 'service' : resource}${isTree ? '_prefix' : ''}`
  const setting = `${isIntention ? 'intentions' : 'policy'} = "${level}"`
  if (Rule !== undefined && isInTheWay(Rule, { Segment, access, isIntention, isTree }))
    return { change: setting }
  // Whoever may read a service may read its intentions.
  const settings = isIntention ? `policy = "read"${level === 'write' ? ` ${setting}` : ''}` : setting
  return { add: `${keyword} ${encodeHclString(isIntention && isTree ? '' : Segment)} { ${settings} }` }
}

/** How the path of an explanation begins if a rule text of the token cannot be read. */
const UNREADABLE = 'rules that cannot be read'

type Rule = NonNullable<NonNullable<AuthorizeAnswer['Explanation']>['Rule']>

function isInTheWay(
  { Kind, Segment: decided, Level, PolicyID }: Rule,
  {
    Segment,
    access,
    isIntention,
    isTree,
  }: { Segment: string; access: string } & Readonly<Record<'isIntention' | 'isTree', boolean>>,
): boolean {
  if (access === 'write-prefix' && decided.startsWith(Segment)) return true
  // An identity's rule is in no policy, so it makes no duplicate; and it only reads, apart from its own name.
  if (PolicyID === '' && Level !== 'deny' && Segment !== '*') return false
  // A new rule for one service would also decide about the service itself.
  if (isIntention) return true
  const isSame = decided === shorten(Segment, limits.EXPLAINED_SEGMENT_LENGTH_MAX)
  return isSame && (isTree || !Kind.endsWith('_prefix'))
}
