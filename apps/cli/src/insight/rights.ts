/** Texts for rights. */
import type { Explanation, MissingRight } from '@latchkey/sdk'

const SCALARS: ReadonlySet<string> = new Set(['acl', 'keyring', 'mesh', 'operator', 'peering'])

/** `acl:write`, `key:write "web/port"`. */
export function describeRight({ resource, segment, access }: MissingRight): string {
  return segment === undefined || SCALARS.has(resource)
    ? `${resource}:${access}`
    : `${resource}:${access} "${segment}"`
}

/** The rule that grants a right, in the syntax of a policy. */
export function ruleFor({ resource, segment, access }: MissingRight): string {
  // `write-prefix` requires access to a whole tree, which an exact rule cannot grant.
  const level = access === 'write-prefix' ? 'write' : access
  if (SCALARS.has(resource)) return `${resource} = "${level}"`
  const isTree = access === 'write-prefix' || access === 'list'
  return `${resource}${isTree ? '_prefix' : ''} ${JSON.stringify(segment ?? '')} { policy = "${level}" }`
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
