import { chooseSeed, fuzzCount, SeededRandom } from '@latchkey/testkit/random'
import { describe, expect, test } from 'vitest'
import { type Cover, factorRules } from './factor-rules.ts'
import { fewestRoles, linksOf } from './fewest-roles.ts'

const weigh = (covers: readonly Cover[]) =>
  covers.reduce((sum, { items, groups }) => sum + 1 + items.length + groups.length, 0)

describe('factoring rules into policies', () => {
  test('groups without a common rule have one policy each', () => {
    expect(factorRules([[1, 2], [3]])).toEqual({
      covers: [
        { items: [1, 2], groups: [0] },
        { items: [3], groups: [1] },
      ],
      method: 'exact',
    })
  })

  test('common rules become a policy once that saves more than it costs', () => {
    const apart = [0, 1, 2, 3].map((i) => [100 + i, 200 + i, 1])
    expect(factorRules(apart).covers).toHaveLength(4)
    const { covers, method } = factorRules(apart.map((rules) => [...rules, 2, 3]))
    expect(covers).toHaveLength(5)
    expect(covers).toContainEqual({ items: [1, 2, 3], groups: [0, 1, 2, 3] })
    expect(method).toBe('exact')
  })

  test('a thousand groups are solved greedily, and say so', () => {
    const { covers, method } = factorRules(
      Array.from({ length: 1_000 }, (_, i) => [1, 2, 10 + i, 5_000 + (i % 7)]),
    )
    expect(method).toBe('greedy')
    expect(covers).toContainEqual({ items: [1, 2], groups: Array.from({ length: 1_000 }, (_, i) => i) })
  })

  test('a common rule that saves nothing stays in the policy of each group', () => {
    expect(factorRules(Array.from({ length: 50 }, (_, i) => [1, 10 + i, 100 + i])).covers).toHaveLength(50)
  })

  test('the policies of a group are always its rules, and never cost more than one policy for each', () => {
    const random = new SeededRandom(chooseSeed('factor rules'))
    for (let left = fuzzCount(40); left > 0; left--) {
      const groups = randomGroups(random, { groups: random.below(6) + 1, items: random.below(6) + 1 })
      const { covers } = factorRules(groups)
      expect(unions(covers, groups.length)).toEqual(groups)
      expect(weigh(covers)).toBeLessThanOrEqual(groups.reduce((sum, each) => sum + 2 + each.length, 0))
    }
  })

  test('exact is better than greedy where taking the best step first leads astray', () => {
    const groups = [
      [1, 2, 5, 8],
      [0, 1, 2, 3, 4, 6, 7, 8],
      [2, 3, 4, 6],
      [0, 4, 5, 6, 7, 8],
    ]
    const { covers, method } = factorRules(groups)
    expect(method).toBe('exact')
    // Greedily 27.
    expect(weigh(covers)).toBe(25)
    expect(unions(covers, groups.length)).toEqual(groups)
  })

  test('exact: no combination of all possible policies costs less', () => {
    const random = new SeededRandom(chooseSeed('factor rules exactly'))
    for (let left = fuzzCount(40); left > 0; left--) {
      const groups = randomGroups(random, { groups: 3, items: 3 })
      const { covers, method } = factorRules(groups)
      expect(method).toBe('exact')
      expect(weigh(covers), JSON.stringify(groups)).toBe(leastOfAll(groups))
    }
  })
})

describe('the fewest roles', () => {
  test('a set that is the union of others needs no role', () => {
    expect(
      fewestRoles([
        [1, 2],
        [3, 4],
        [1, 2, 3, 4],
      ]),
    ).toEqual({
      roles: [
        [1, 2],
        [3, 4],
      ],
      method: 'exact',
    })
  })

  test('three pairs of three and their union: the single policies are three links, four roles would be more', () => {
    expect(
      fewestRoles([
        [1, 2],
        [2, 3],
        [1, 3],
        [1, 2, 3],
      ]).roles.length,
    ).toBeLessThanOrEqual(3)
  })

  test('many sets are solved greedily, and say so', () => {
    const sets = Array.from({ length: 40 }, (_, i) => [i, 100 + i])
    expect(fewestRoles([...sets, [0, 1, 100, 101]])).toEqual({ roles: sets, method: 'greedy' })
  })

  test('links give exactly the set', () => {
    const roles = [
      [1, 2],
      [2, 3, 4],
    ]
    const rolesWith = new Map([
      [1, [0]],
      [2, [0, 1]],
      [3, [1]],
      [4, [1]],
    ])
    expect(linksOf([1, 2, 3, 4, 5], roles, rolesWith)).toEqual({ roles: [1], policies: [1, 5] })
    expect(linksOf([1, 2], roles, rolesWith)).toEqual({ roles: [0], policies: [] })
    expect(linksOf([2, 3], roles, rolesWith)).toEqual({ roles: [], policies: [2, 3] })
  })
})

function randomGroups(
  random: SeededRandom,
  { groups, items }: { groups: number; items: number },
): number[][] {
  const found = new Map<string, number[]>()
  for (let i = 0; i < groups; i++) {
    const rules = Array.from({ length: items }, (_, item) => item).filter(() => random.chance(0.6))
    if (rules.length > 0) found.set(rules.join(), rules)
  }
  return [...found.values()]
}

function unions(covers: readonly Cover[], count: number): number[][] {
  const rules = Array.from({ length: count }, () => new Set<number>())
  for (const { items, groups } of covers)
    for (const g of groups) for (const item of items) rules[g]?.add(item)
  return rules.map((each) => [...each].sort((a, b) => a - b))
}

/** Tries every family of bicliques. */
function leastOfAll(groups: readonly (readonly number[])[]): number {
  const bicliques: Cover[] = []
  for (let users = 1; users < 1 << groups.length; users++) {
    const members = groups.flatMap((_, i) => ((users >> i) & 1 ? [i] : []))
    const common = (groups[members[0] ?? 0] ?? []).filter((item) =>
      members.every((g) => groups[g]?.includes(item)),
    )
    for (let chosen = 1; chosen < 1 << common.length; chosen++) {
      bicliques.push({ items: common.filter((_, i) => (chosen >> i) & 1), groups: members })
    }
  }
  let least = Number.POSITIVE_INFINITY
  const search = (from: number, family: readonly Cover[], cost: number) => {
    if (cost >= least) return
    if (JSON.stringify(unions(family, groups.length)) === JSON.stringify(groups)) {
      least = cost
      return
    }
    for (let i = from; i < bicliques.length; i++) {
      const next = bicliques[i]
      if (next !== undefined) search(i + 1, [...family, next], cost + weigh([next]))
    }
  }
  search(0, [], 0)
  return least
}
