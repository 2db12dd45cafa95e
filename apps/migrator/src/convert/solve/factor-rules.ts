/**
 * Distributes the rules of many groups over policies. Every group that links a policy has all its rules, so that the
 * policies of a group together contain exactly its rules.
 *
 * The cost is what an operator has to maintain: each policy, each rule of a policy, and each link of a group to a
 * policy costs one. The minimum is a minimum-weight biclique cover, which is NP-hard: small parts are solved exactly,
 * larger ones by repeatedly extracting the common set that saves most.
 */
import { coverExactly } from './exact-cover.ts'

/** Whether the solution is proven minimal, or the best one that a greedy search found. */
export type Method = 'exact' | 'greedy'

/** A set of items, all of which some groups have. */
export interface Cover {
  /** Ascending. */
  readonly items: readonly number[]
  /** Indexes of the groups that use it, ascending. */
  readonly groups: readonly number[]
}

interface Factoring {
  readonly covers: readonly Cover[]
  readonly method: Method
}

/**
 * @param groups the rules of each group as numbers: at least one, without duplicates; no two groups with equal rules.
 * @returns covers in order of their first group.
 */
export function factorRules(groups: readonly (readonly number[])[]): Factoring {
  const blocks = blocksOf(groups)
  const parts = connectedParts(groups.length, blocks)
  const covers: Cover[] = []
  let method: Method = 'exact'
  for (const part of parts) {
    const solved = solvePart(part, blocks)
    if (solved.method === 'greedy') method = 'greedy'
    for (const { items, groups: users } of solved.covers) {
      covers.push({
        items: items.flatMap((block) => blocks[block]?.items ?? []).sort(ascending),
        groups: users,
      })
    }
  }
  covers.sort((a, b) => (a.groups[0] ?? 0) - (b.groups[0] ?? 0) || (a.items[0] ?? 0) - (b.items[0] ?? 0))
  return { covers, method }
}

/** Items that belong to the same groups. Splitting a block never helps: the best choice is the same for all its items. */
interface Block {
  readonly items: readonly number[]
  readonly groups: readonly number[]
}

function blocksOf(groups: readonly (readonly number[])[]): Block[] {
  const users = new Map<number, number[]>()
  for (const [group, items] of groups.entries()) {
    for (const item of items) {
      const known = users.get(item)
      if (known === undefined) users.set(item, [group])
      else known.push(group)
    }
  }
  const byHash = new Map<number, { items: number[]; groups: readonly number[] }[]>()
  for (const [item, ofItem] of users) {
    const hash = hashOf(ofItem)
    const alike = byHash.get(hash) ?? []
    byHash.set(hash, alike)
    const block = alike.find((each) => isEqual(each.groups, ofItem))
    if (block === undefined) alike.push({ items: [item], groups: ofItem })
    else block.items.push(item)
  }
  return [...byHash.values()].flat()
}

interface Part {
  readonly groups: readonly number[]
  readonly blocks: readonly number[]
}

/** Connected components: groups that share no rule, directly or through other groups, are solved separately. */
function connectedParts(groupCount: number, blocks: readonly Block[]): Part[] {
  const parents = Int32Array.from({ length: groupCount }, (_, group) => group)
  const rootOf = (group: number): number => {
    let root = group
    while (parents[root] !== root) root = parents[root] ?? root
    for (let at = group; at !== root; ) {
      const next = parents[at] ?? root
      parents[at] = root
      at = next
    }
    return root
  }
  for (const { groups } of blocks) {
    const [first = 0] = groups
    for (const group of groups) parents[rootOf(group)] = rootOf(first)
  }
  const parts = new Map<number, { groups: number[]; blocks: number[] }>()
  const partOf = (group: number) => {
    const root = rootOf(group)
    const part = parts.get(root) ?? { groups: [], blocks: [] }
    parts.set(root, part)
    return part
  }
  for (const [index, { groups }] of blocks.entries()) partOf(groups[0] ?? 0).blocks.push(index)
  for (let group = 0; group < groupCount; group++) partOf(group).groups.push(group)
  return [...parts.values()]
}

/** Largest part to solve exactly. */
const EXACT_GROUPS_MAX = 12
const EXACT_BLOCKS_MAX = 14

function solvePart(part: Part, blocks: readonly Block[]): Factoring {
  if (part.groups.length === 1) {
    return { covers: [{ items: part.blocks, groups: part.groups }], method: 'exact' }
  }
  const weights = new Map(part.blocks.map((block) => [block, blocks[block]?.items.length ?? 0]))
  const found = extractCommon(part, blocks, weights)
  if (costOf(found, weights) <= leastCost(part, blocks)) return { covers: found, method: 'exact' }
  if (part.groups.length > EXACT_GROUPS_MAX || part.blocks.length > EXACT_BLOCKS_MAX) {
    return { covers: found, method: 'greedy' }
  }
  const position = new Map(part.groups.map((group, index) => [group, index]))
  const users = part.blocks.map((block) =>
    (blocks[block]?.groups ?? []).map((group) => position.get(group) ?? 0),
  )
  const best = coverExactly({
    groupCount: part.groups.length,
    users,
    weights: part.blocks.map((block) => weights.get(block) ?? 0),
    costs: { set: 1, item: 1, group: 1 },
    atMost: costOf(found, weights),
  })
  if (best.covers === undefined) return { covers: found, method: best.isProven ? 'exact' : 'greedy' }
  const covers = best.covers.map(({ items, groups }) => ({
    items: items.map((item) => part.blocks[item] ?? 0),
    groups: groups.map((group) => part.groups[group] ?? 0),
  }))
  return { covers, method: best.isProven ? 'exact' : 'greedy' }
}

/**
 * A lower bound on the cost, for parts of any size. A group with unique rules has a policy that no other group has; its
 * shared rules are either repeated in this policy, or require one more link.
 */
function leastCost({ groups, blocks: ofPart }: Part, blocks: readonly Block[]): number {
  const sharedWeights = new Map<number, number>()
  const withOwn = new Set<number>()
  let own = 0
  let shared = 0
  for (const index of ofPart) {
    const { items = [], groups: users = [] } = blocks[index] ?? {}
    if (users.length === 1) {
      own += items.length
      for (const group of users) withOwn.add(group)
    } else {
      shared += items.length
      for (const group of users) sharedWeights.set(group, (sharedWeights.get(group) ?? 0) + items.length)
    }
  }
  const extra = groups.reduce(
    (sum, group) => sum + (withOwn.has(group) ? Math.min(1, sharedWeights.get(group) ?? 0) : 0),
    0,
  )
  return Math.max(1, withOwn.size) + groups.length + own + Math.max(extra, shared)
}

/** The cost of a solution: its policies, rules and links. */
function costOf(covers: readonly Cover[], weights: ReadonlyMap<number, number>): number {
  return covers.reduce(
    (sum, { items, groups }) =>
      sum + 1 + groups.length + items.reduce((weight, item) => weight + (weights.get(item) ?? 0), 0),
    0,
  )
}

/** Maximum number of groups whose pairwise common rules become candidates, and of candidates. */
const PAIRED_GROUPS_MAX = 150
const CANDIDATES_MAX = 2_000
/** Maximum number of set look-ups per part. Limits the time for the largest dumps, deterministically on every machine. */
const STEPS_MAX = 30_000_000

/** Repeatedly extracts the common set that saves most from its groups, until no set saves anything. */
function extractCommon(
  part: Part,
  blocks: readonly Block[],
  weights: ReadonlyMap<number, number>,
): readonly Cover[] {
  const left = new Map(part.groups.map((group) => [group, new Set<number>()]))
  for (const block of part.blocks)
    for (const group of blocks[block]?.groups ?? []) left.get(group)?.add(block)
  const budget = { steps: 0 }
  let candidates = candidatesOf(part, blocks, left, budget)
  const taken: Cover[] = []
  while (budget.steps < STEPS_MAX) {
    let best: { readonly saving: number; readonly cover: Cover } | undefined
    const useful: (readonly number[])[] = []
    for (const items of candidates) {
      const users = usersOf(items, blocks, left, budget)
      if (users.length < 2) continue
      useful.push(items)
      const weight = items.reduce((sum, item) => sum + (weights.get(item) ?? 0), 0)
      const emptied = users.filter((group) => left.get(group)?.size === items.length).length
      const saving = (users.length - 1) * weight + 2 * emptied - users.length - 1
      if (saving > 0 && saving > (best?.saving ?? 0)) best = { saving, cover: { items, groups: users } }
      if (budget.steps >= STEPS_MAX) break
    }
    if (best === undefined) break
    candidates = useful
    taken.push(best.cover)
    for (const group of best.cover.groups) {
      for (const item of best.cover.items) left.get(group)?.delete(item)
    }
  }
  return [...taken, ...remainders(left)]
}

/** The remaining rules of each group as one policy. Groups with equal remainders share it. */
function remainders(left: ReadonlyMap<number, ReadonlySet<number>>): Cover[] {
  const byItems = new Map<string, { items: readonly number[]; groups: number[] }>()
  for (const [group, rest] of left) {
    if (rest.size === 0) continue
    const items = [...rest].sort(ascending)
    const key = items.join(' ')
    const known = byItems.get(key)
    if (known === undefined) byItems.set(key, { items, groups: [group] })
    else known.groups.push(group)
  }
  return [...byItems.values()]
}

interface Budget {
  steps: number
}

/** Candidate sets: the items common to all groups of a block, the items common to two groups, and whole groups. */
function candidatesOf(
  { groups, blocks: ofPart }: Part,
  blocks: readonly Block[],
  left: ReadonlyMap<number, ReadonlySet<number>>,
  budget: Budget,
): readonly (readonly number[])[] {
  const found = new Map<string, readonly number[]>()
  const add = (items: readonly number[]) => {
    if (items.length === 0 || found.size >= CANDIDATES_MAX) return
    const sorted = [...items].sort(ascending)
    found.set(sorted.join(' '), sorted)
  }
  const shared = ofPart.filter((block) => (blocks[block]?.groups.length ?? 0) > 1)
  // Blocks of the most groups come first, because they save most.
  shared.sort((a, b) => (blocks[b]?.groups.length ?? 0) - (blocks[a]?.groups.length ?? 0) || a - b)
  for (const block of shared.slice(0, CANDIDATES_MAX)) {
    if (budget.steps >= STEPS_MAX) break
    add(commonTo(blocks[block]?.groups ?? [], left, budget))
    add([block])
  }
  const isShared = new Set(shared)
  const sharing = groups.filter((group) => [...(left.get(group) ?? [])].some((block) => isShared.has(block)))
  if (sharing.length <= PAIRED_GROUPS_MAX) {
    for (const [i, group] of sharing.entries()) {
      for (const other of sharing.slice(0, i)) add(commonTo([group, other], left, budget))
    }
  }
  for (const group of sharing.slice(0, CANDIDATES_MAX)) {
    const items = [...(left.get(group) ?? [])]
    if (items.every((item) => isShared.has(item))) add(items)
  }
  return [...found.values()]
}

function commonTo(
  groups: readonly number[],
  left: ReadonlyMap<number, ReadonlySet<number>>,
  budget: Budget,
): readonly number[] {
  const sets = groups.map((group) => left.get(group) ?? new Set<number>())
  const smallest = sets.reduce(
    (least, set) => (set.size < least.size ? set : least),
    sets[0] ?? new Set<number>(),
  )
  let common = [...smallest]
  for (const set of sets) {
    budget.steps += common.length
    common = common.filter((block) => set.has(block))
    if (common.length <= 1) break
  }
  return common
}

/** The groups that still have all of these items. */
function usersOf(
  items: readonly number[],
  blocks: readonly Block[],
  left: ReadonlyMap<number, ReadonlySet<number>>,
  budget: Budget,
): readonly number[] {
  const lists = items.map((item) => blocks[item]?.groups ?? [])
  const shortest = lists.reduce((least, list) => (list.length < least.length ? list : least), lists[0] ?? [])
  return shortest.filter((group) => {
    const has = left.get(group)
    budget.steps += 1
    return items.every((item) => {
      budget.steps += 1
      return has?.has(item) === true
    })
  })
}

function hashOf(values: readonly number[]): number {
  let hash = values.length
  for (const value of values) hash = (Math.imul(hash, 0x9e3779b1) ^ value) >>> 0
  return hash
}

function isEqual(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((value, index) => value === b[index])
}

function ascending(a: number, b: number): number {
  return a - b
}
