/**
 * Finds the fewest roles. Each set of policies that several tokens share must be a union of roles and single policies;
 * a single policy costs as much as a role. This is the set basis problem, which is NP-hard: small inputs are solved
 * exactly, larger ones by dropping every set that is a union of smaller sets.
 */
import { coverExactly } from './exact-cover.ts'
import type { Method } from './factor-rules.ts'

interface Roles {
  /** Sets of policies, two or more in each, ascending. */
  readonly roles: readonly (readonly number[])[]
  readonly method: Method
}

/** Largest input to solve exactly. */
const EXACT_SETS_MAX = 16
const EXACT_POLICIES_MAX = 24
/** Maximum number of sets to compare with each other; with more, each set becomes a role. */
const COMPARED_SETS_MAX = 2_000

/** @param shared the distinct sets of policies that several tokens share, ascending; two or more policies in each. */
export function fewestRoles(shared: readonly (readonly number[])[]): Roles {
  const basis = dropUnions(shared)
  const policies = [...new Set(shared.flat())].sort((a, b) => a - b)
  if (shared.length > EXACT_SETS_MAX || policies.length > EXACT_POLICIES_MAX) {
    return { roles: basis, method: basis.length <= 1 ? 'exact' : 'greedy' }
  }
  const users = policies.map((policy) =>
    shared.flatMap((set, index) => (set.includes(policy) ? [index] : [])),
  )
  const best = coverExactly({
    groupCount: shared.length,
    users,
    weights: policies.map(() => 0),
    costs: { set: 1, item: 0, group: 0 },
    atMost: basis.length,
  })
  const method = best.isProven ? 'exact' : 'greedy'
  if (best.covers === undefined) return { roles: basis, method }
  const roles = best.covers.map(({ items }) => items.map((item) => policies[item] ?? 0))
  return { roles: roles.filter((role) => role.length > 1), method }
}

/** The sets that are not unions of smaller sets, in their original order. */
function dropUnions(sets: readonly (readonly number[])[]): readonly (readonly number[])[] {
  if (sets.length > COMPARED_SETS_MAX) return sets
  return sets.filter((set) => {
    const all = new Set(set)
    const covered = new Set<number>()
    for (const smaller of sets) {
      const isPart = smaller.length < set.length && smaller.every((policy) => all.has(policy))
      if (isPart) for (const policy of smaller) covered.add(policy)
    }
    return covered.size < set.length
  })
}

/** The links of a token. */
export interface Links {
  /** Indexes of roles, ascending. */
  readonly roles: readonly number[]
  readonly policies: readonly number[]
}

/** Maximum number of roles to consider per policy: a fitting role is also found through its other policies. */
const ROLES_OF_POLICY_MAX = 1_000

/**
 * Links that give exactly this set of policies: greedily chosen roles, largest gain first, then single policies.
 *
 * @param rolesWith the roles that contain each policy.
 */
export function linksOf(
  set: readonly number[],
  roles: readonly (readonly number[])[],
  rolesWith: ReadonlyMap<number, readonly number[]>,
): Links {
  const wanted = new Set(set)
  const found = set.flatMap((policy) => (rolesWith.get(policy) ?? []).slice(0, ROLES_OF_POLICY_MAX))
  const fitting = [...new Set(found)].filter((role) => roles[role]?.every((policy) => wanted.has(policy)))
  const open = new Set(set)
  const chosen: number[] = []
  const gain = (role: number) => roles[role]?.filter((policy) => open.has(policy)).length ?? 0
  for (;;) {
    const best = fitting.reduce<number | undefined>(
      (most, role) => (most === undefined || gain(role) > gain(most) ? role : most),
      undefined,
    )
    // For a single missing policy, link the policy itself.
    if (best === undefined || gain(best) < 2) break
    chosen.push(best)
    for (const policy of roles[best] ?? []) open.delete(policy)
  }
  return { roles: chosen.sort((a, b) => a - b), policies: [...open].sort((a, b) => a - b) }
}
