/** Proposes policies, roles and links for the tokens of a dump. */
import { createHash } from 'node:crypto'
import { limits } from '@latchkey/contract'
import { InputError } from '../errors.ts'
import { counted } from '../findings/finding.ts'
import type { Conversion, ProposedPolicy, ProposedRole, TokenGroup } from './conversion.ts'
import { groupSlug, Names, rulesSlug } from './names.ts'
import { NO_DECISIONS, type ReviewDecisions } from './review-decisions.ts'
import { type CanonicalRule, printPolicy } from './rules/canonical-rules.ts'
import { type Cover, factorRules, type Method } from './solve/factor-rules.ts'
import { fewestRoles, type Links, linksOf } from './solve/fewest-roles.ts'
import type { IntakeGroup, TokenIntake } from './token-intake.ts'

/** @throws InputError if the operator's names are not unique. */
export function makeConversion(intake: TokenIntake, review: ReviewDecisions = NO_DECISIONS): Conversion {
  const groups = intake.groups()
  const rulesOf = (numbers: readonly number[]) => numbers.flatMap((number) => intake.rules[number] ?? [])
  const factoring = factorRules(groups.map(({ rules }) => [...rules].sort((a, b) => a - b)))
  const drafts = factoring.covers.flatMap((cover) => splitLong(cover, rulesOf(inOrder(cover, groups))))
  const sets = policySets(groups.length, drafts)
  const { roles, method } = assignRoles(groups, sets)
  const links = linkAll(groups, sets, roles)
  const slugs = groups.map(({ tokens, rules }) =>
    groupSlug(
      tokens.map(({ name }) => name),
      rulesOf(rules),
    ),
  )
  const policies = namePolicies(drafts, { groups, slugs, chosen: review.policies })
  const proposed = nameRoles(roles, { groups, slugs, policies, sets, links, chosen: review.roles })
  const names = new Names()
  const rejected = new Set(review.rejected)
  return {
    groups: groups.map(({ rules, texts, tokens }, index): TokenGroup => {
      const id = idOf(printPolicy(rulesOf(rules)))
      const { policies: direct = [], roles: linked = [] } = links[index] ?? {}
      const all = [
        ...linked.map((role) => proposed[role]?.name),
        ...direct.map((each) => policies[each]?.name),
      ]
      return {
        id,
        // A group with one link has the name of this link.
        name: names.take(all.length === 1 ? (all[0] ?? '') : (slugs[index] ?? '')),
        rules: rulesOf(rules),
        texts: [...texts],
        tokens,
        policies: direct,
        roles: linked,
        isRejected: rejected.has(id),
      }
    }),
    policies,
    roles: proposed,
    methods: { policies: factoring.method, roles: method },
    management: intake.management,
    cleared: intake.cleared,
    withoutRules: intake.withoutRules,
    unconvertible: intake.unconvertible,
  }
}

/** A policy before it has a name. */
interface Draft {
  readonly rules: readonly CanonicalRule[]
  /** Indexes of the groups that link it. */
  readonly groups: readonly number[]
}

/** The rules of a cover, in the canonical order that all groups share. */
function inOrder({ items, groups }: Cover, all: readonly IntakeGroup[]): readonly number[] {
  const wanted = new Set(items)
  return (all[groups[0] ?? 0]?.rules ?? []).filter((rule) => wanted.has(rule))
}

/** Splits a policy that would exceed the maximum length. */
function splitLong({ groups }: Cover, rules: readonly CanonicalRule[]): Draft[] {
  const drafts: { rules: CanonicalRule[]; groups: readonly number[] }[] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const rule of rules) {
    bytes += Buffer.byteLength(rule.text) + 1
    if (bytes > limits.RULES_BYTES_MAX) {
      drafts.push({ rules: [], groups })
      bytes = Buffer.byteLength(rule.text)
    }
    drafts.at(-1)?.rules.push(rule)
  }
  return drafts
}

/** The policies of each group, ascending. */
function policySets(groupCount: number, drafts: readonly Draft[]): readonly (readonly number[])[] {
  const sets = Array.from({ length: groupCount }, (): number[] => [])
  for (const [policy, { groups }] of drafts.entries()) for (const group of groups) sets[group]?.push(policy)
  return sets
}

function assignRoles(
  groups: readonly IntakeGroup[],
  sets: readonly (readonly number[])[],
): { readonly roles: readonly (readonly number[])[]; readonly method: Method } {
  const shared = sets.filter((set, group) => set.length > 1 && (groups[group]?.tokens.length ?? 0) > 1)
  return fewestRoles(shared)
}

function linkAll(
  groups: readonly IntakeGroup[],
  sets: readonly (readonly number[])[],
  roles: readonly (readonly number[])[],
): readonly Links[] {
  const own = new Map(roles.map((role, index) => [role.join(' '), index]))
  const rolesWith = new Map<number, number[]>()
  for (const [role, policies] of roles.entries()) {
    for (const policy of policies) {
      const known = rolesWith.get(policy)
      if (known === undefined) rolesWith.set(policy, [role])
      else known.push(role)
    }
  }
  return groups.map((_, index) => {
    const set = sets[index] ?? []
    const role = own.get(set.join(' '))
    return role === undefined ? linksOf(set, roles, rolesWith) : { roles: [role], policies: [] }
  })
}

interface Naming {
  readonly groups: readonly IntakeGroup[]
  /** The name of each group. */
  readonly slugs: readonly string[]
  /** The operator's names, by id. */
  readonly chosen: Readonly<Record<string, string>>
}

function namePolicies(drafts: readonly Draft[], { groups, slugs, chosen }: Naming): ProposedPolicy[] {
  const texts = drafts.map(({ rules }) => printPolicy(rules))
  const ids = texts.map(idOf)
  const found = namesFor(ids, chosen, (index) => {
    const { rules = [], groups: users = [] } = drafts[index] ?? {}
    // The group that has exactly these rules, or the only group that has them all.
    const whole = users.find((group) => groups[group]?.rules.length === rules.length)
    const owner = users.length === 1 ? users[0] : whole
    return owner === undefined ? rulesSlug(rules) : (slugs[owner] ?? '')
  })
  return drafts.map(({ groups: users }, index) => {
    const tokens = users.reduce((sum, group) => sum + (groups[group]?.tokens.length ?? 0), 0)
    return {
      id: ids[index] ?? '',
      name: found[index] ?? '',
      description: `Converted from the legacy rules of ${counted(tokens, 'token')}`,
      rules: texts[index] ?? '',
    }
  })
}

function nameRoles(
  roles: readonly (readonly number[])[],
  {
    policies,
    sets,
    slugs,
    links,
    groups,
    chosen,
  }: Naming & {
    readonly policies: readonly ProposedPolicy[]
    readonly sets: readonly (readonly number[])[]
    readonly links: readonly Links[]
  },
): ProposedRole[] {
  const ids = roles.map((role) => idOf(role.map((policy) => policies[policy]?.id).join(' ')))
  const owners = new Map(sets.map((set, group) => [set.join(' '), group]))
  const tokens = roles.map(() => 0)
  for (const [group, { roles: linked }] of links.entries()) {
    for (const role of linked) tokens[role] = (tokens[role] ?? 0) + (groups[group]?.tokens.length ?? 0)
  }
  const found = namesFor(ids, chosen, (index) => {
    const role = roles[index] ?? []
    const owner = owners.get(role.join(' '))
    if (owner !== undefined) return slugs[owner] ?? ''
    return role
      .map((policy) => policies[policy]?.name ?? '')
      .join('-and-')
      .slice(0, 60)
      .replace(/-+$/, '')
  })
  return roles.map((role, index) => ({
    id: ids[index] ?? '',
    name: found[index] ?? '',
    description: `Converted from the legacy rules of ${counted(tokens[index] ?? 0, 'token')}`,
    policies: role,
  }))
}

/** Reserves the operator's names first, so that no proposal uses them. */
function namesFor(
  ids: readonly string[],
  chosen: Readonly<Record<string, string>>,
  wanted: (index: number) => string,
): string[] {
  const names = new Names()
  for (const name of Object.values(chosen)) {
    if (names.reserve(name)) continue
    throw new InputError(`the names of the review are not unique: ${JSON.stringify(name)} is there twice`)
  }
  return ids.map((id, index) => {
    const own = Object.hasOwn(chosen, id) ? chosen[id] : undefined
    return own ?? names.take(wanted(index))
  })
}

const ID_LENGTH = 12

function idOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, ID_LENGTH)
}
