/**
 * The meaning of rules, implemented sentence by sentence from docs/rules.md, without regard to speed. Shares no code with
 * the authorizer, which tests compare with it (DIF-02).
 */
import type { GivenLevel, Question, Rule, RuleKind, RuleLevel } from '@latchkey/acl'

export type NaiveRule = Pick<Rule, 'kind' | 'match' | 'segment' | 'level'> & {
  readonly intentions?: GivenLevel
}

/** One (match, segment), with the levels that all policies give it. */
interface Group {
  readonly match: 'exact' | 'prefix'
  readonly segment: string
  readonly level: RuleLevel
}

export function naiveDecide(rules: readonly NaiveRule[], defaultAllow: boolean, question: Question): boolean {
  const { resource, access } = question
  const segment = question.segment ?? ''
  if (resource === 'acl') {
    // "Without an acl rule nothing is granted, even under default allow."
    const level = scalar(rules, 'acl')
    return level !== undefined && grants(level, access)
  }
  if (resource === 'keyring' || resource === 'operator') {
    const level = scalar(rules, resource)
    return level === undefined ? defaultAllow : grants(level, access)
  }
  if (resource === 'mesh' || resource === 'peering') {
    const level = scalar(rules, resource) ?? scalar(rules, 'operator')
    return level === undefined ? defaultAllow : grants(level, access)
  }
  const groups = resource === 'intention' ? intentionGroups(rules) : policyGroups(rules, resource)
  if (resource === 'intention' && segment === '*')
    return decideAllIntentions(groups, defaultAllow, access === 'read')
  if (access === 'write-prefix') return decideWritePrefix(groups, defaultAllow, segment)
  const level = levelFor(groups, segment)
  return level === undefined ? defaultAllow : grants(level, access)
}

/** "write ⊃ list ⊃ read (key); elsewhere write ⊃ read; deny refuses all." */
function grants(level: RuleLevel, access: string): boolean {
  if (level === 'write') return true
  if (level === 'list') return access === 'list' || access === 'read'
  return level === 'read' && access === 'read'
}

/** "deny > write > list > read"; where only levels in another case are left, nothing is granted. */
function strongest(levels: readonly GivenLevel[]): RuleLevel | undefined {
  for (const level of ['deny', 'write', 'list', 'read'] as const) if (levels.includes(level)) return level
  return levels.length === 0 ? undefined : 'deny'
}

function scalar(rules: readonly NaiveRule[], kind: RuleKind): RuleLevel | undefined {
  return strongest(rules.filter((rule) => rule.kind === kind).map((rule) => rule.level))
}

/** "Several policies merge per (kind, exact/prefix, segment)." */
function policyGroups(rules: readonly NaiveRule[], kind: RuleKind): Group[] {
  return groupsOf(rules, kind).map(({ match, segment, members }) => {
    const level = strongest(members.map((rule) => rule.level))
    return { match, segment, level: level ?? 'deny' }
  })
}

/** "policy and intentions merge separately"; "default from the service level: read or write → read, deny → deny". */
function intentionGroups(rules: readonly NaiveRule[]): Group[] {
  return groupsOf(rules, 'service').map(({ match, segment, members }) => {
    const explicit = strongest(
      members.flatMap((rule) => (rule.intentions === undefined ? [] : [rule.intentions])),
    )
    const policy = strongest(members.map((rule) => rule.level))
    return { match, segment, level: explicit ?? (policy === 'deny' ? 'deny' : 'read') }
  })
}

function groupsOf(rules: readonly NaiveRule[], kind: RuleKind) {
  const groups: { match: 'exact' | 'prefix'; segment: string; members: NaiveRule[] }[] = []
  for (const rule of rules) {
    if (rule.kind !== kind || rule.match === 'scalar') continue
    const group = groups.find(({ match, segment }) => match === rule.match && segment === rule.segment)
    if (group === undefined) groups.push({ match: rule.match, segment: rule.segment, members: [rule] })
    else group.members.push(rule)
  }
  return groups
}

/** "An exact rule beats any prefix rule; otherwise the longest matching prefix decides, whatever its level." */
function levelFor(groups: readonly Group[], segment: string): RuleLevel | undefined {
  const exact = groups.find((group) => group.match === 'exact' && group.segment === segment)
  return exact === undefined ? longestPrefix(groups, segment)?.level : exact.level
}

/** "Segments are case-sensitive; matching is by bytes." */
function longestPrefix(groups: readonly Group[], segment: string): Group | undefined {
  let longest: Group | undefined
  for (const group of groups) {
    if (group.match !== 'prefix' || !beginsWith(segment, group.segment)) continue
    if (longest === undefined || bytes(group.segment).length > bytes(longest.segment).length) longest = group
  }
  return longest
}

/**
 * "The longest prefix rule covering the path must be write, and no rule at or below the path may be less than write;
 * exact-only write is not enough."
 */
function decideWritePrefix(groups: readonly Group[], defaultAllow: boolean, path: string): boolean {
  if (groups.some((group) => beginsWith(group.segment, path) && group.level !== 'write')) return false
  const covering = longestPrefix(groups, path)
  return covering === undefined ? defaultAllow : covering.level === 'write'
}

/** "read if any rule grants read; write only if every rule grants write and the default/catch-all allows." */
function decideAllIntentions(groups: readonly Group[], defaultAllow: boolean, isRead: boolean): boolean {
  const catchAll = groups.find((group) => group.match === 'prefix' && group.segment === '')
  if (isRead) {
    if (groups.some((group) => grants(group.level, 'read'))) return true
    return catchAll === undefined && defaultAllow
  }
  return groups.every((group) => group.level === 'write') && (catchAll !== undefined || defaultAllow)
}

const encoder = new TextEncoder()

function bytes(text: string): Uint8Array {
  return encoder.encode(text)
}

function beginsWith(text: string, beginning: string): boolean {
  const all = bytes(text)
  return bytes(beginning).every((byte, index) => all[index] === byte)
}
