import { adviceFor } from '@latchkey/acl'
import { SCALAR_RESOURCES } from '@latchkey/contract/plain'
import type { AuthorizeAnswer, Explanation, MissingRight } from '@latchkey/sdk'

const SCALARS: ReadonlySet<string> = new Set(SCALAR_RESOURCES)

/** `acl:write`, `key:write "web/port"`. */
export function describeRight({ resource, segment, access }: MissingRight): string {
  return segment === undefined || SCALARS.has(resource)
    ? `${resource}:${access}`
    : `${resource}:${access} "${segment}"`
}

/** What would give the token the right that a check denied; `undefined` if that is not known. */
export function adviceText(answer: AuthorizeAnswer | undefined): string | undefined {
  const advice = answer && adviceFor(answer)
  if (advice === undefined) return undefined
  return 'add' in advice
    ? `Rule to add to a policy of the token: ${advice.add}`
    : `To allow it, change the rule that denies it: ${advice.change}`
}

/** The right itself, then the lesser rights on the same resource. */
export function levelsOf({ resource, access }: MissingRight): ('read' | 'write' | 'list' | 'write-prefix')[] {
  const lesser = resource === 'key' ? (['write', 'list', 'read'] as const) : (['write', 'read'] as const)
  if (access === 'write-prefix') return ['write-prefix', ...lesser]
  const from = lesser.map(String).indexOf(access)
  return from === -1 ? ['read'] : lesser.slice(from)
}

/** How a token gets the deciding rule: `through role shop, policy orders-read (line 1: key_prefix "" = "read")`. */
export function describePath(explanation: Explanation | undefined): string {
  if (explanation === undefined) return 'for a reason that this server does not report'
  const { Rule, Path } = explanation
  if (Rule === undefined) return 'because no rule matches, so the default policy decides'
  const segment = Rule.Segment === '' && SCALARS.has(Rule.Kind) ? '' : ` "${Rule.Segment}"`
  const rule = `line ${Rule.Line}: ${Rule.Kind}${segment} is "${Rule.Level}"`
  const through = Path.length === 0 ? `policy ${Rule.PolicyName}` : Path.join(' → ')
  return `through ${through} (${rule})`
}
