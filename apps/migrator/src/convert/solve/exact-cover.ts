/**
 * Finds the cheapest cover of a small table of groups and items by bicliques, which are sets of items that all of some
 * groups contain. Branch and bound with a limited number of steps; the result says whether it is a proven minimum.
 */

interface CoverTable {
  readonly groupCount: number
  /** The groups of each item, ascending. At most thirty groups and thirty items. */
  readonly users: readonly (readonly number[])[]
  /** The cost of listing an item in a set. */
  readonly weights: readonly number[]
  /** The cost of each set, of each unit of weight of its items, and of each group that uses it. */
  readonly costs: { readonly set: number; readonly item: number; readonly group: number }
  /** The cost of a known solution. */
  readonly atMost: number
}

interface ExactCover {
  /** Undefined if no cover is cheaper than the known solution. */
  readonly covers:
    | readonly { readonly items: readonly number[]; readonly groups: readonly number[] }[]
    | undefined
  /** Whether the search finished within the step limit. */
  readonly isProven: boolean
}

/** Maximum number of sets to try. */
const STEPS_MAX = 200_000

interface Biclique {
  /** Bit sets. */
  readonly items: number
  readonly groups: number
}

export function coverExactly(table: CoverTable): ExactCover {
  const search = new Search(table)
  search.extend(0, [])
  return {
    covers: search.best?.map(({ items, groups }) => ({ items: bitsOf(items), groups: bitsOf(groups) })),
    isProven: search.steps < STEPS_MAX,
  }
}

class Search {
  best: readonly Biclique[] | undefined
  steps = 0
  private bestCost: number
  private readonly table: CoverTable
  /** The items of each group, and the groups of each item, as bit sets. */
  private readonly itemsOf: readonly number[]
  private readonly groupsOf: readonly number[]
  /** The items that only one group has. */
  private readonly unique: number
  /** The items of each group that no chosen set covers. */
  private readonly open: number[]

  constructor(table: CoverTable) {
    this.table = table
    this.bestCost = table.atMost
    this.groupsOf = table.users.map((users) => users.reduce((bits, group) => bits | (1 << group), 0))
    this.itemsOf = Array.from({ length: table.groupCount }, (_, group) =>
      table.users.reduce((bits, users, item) => (users.includes(group) ? bits | (1 << item) : bits), 0),
    )
    this.unique = table.users.reduce(
      (bits, users, item) => (users.length === 1 ? bits | (1 << item) : bits),
      0,
    )
    this.open = [...this.itemsOf]
  }

  /** Covers the first open item in every possible way, recursively. */
  extend(cost: number, chosen: readonly Biclique[]): void {
    const group = this.open.findIndex((bits) => bits !== 0)
    if (group === -1) {
      if (cost < this.bestCost) {
        this.bestCost = cost
        this.best = chosen
      }
      return
    }
    if (cost + this.leastToCome() >= this.bestCost) return
    const item = this.open[group] ?? 0
    const first = item & -item
    const others = (this.groupsOf[Math.log2(first)] ?? 0) & ~(1 << group)
    for (let more = others; ; more = (more - 1) & others) {
      this.withGroups(more | (1 << group), { first, cost, chosen })
      if (more === 0 || this.steps >= STEPS_MAX) return
    }
  }

  /** Tries every set that contains the item and that all these groups contain. */
  private withGroups(
    groups: number,
    {
      first,
      cost,
      chosen,
    }: { readonly first: number; readonly cost: number; readonly chosen: readonly Biclique[] },
  ): void {
    const users = bitsOf(groups)
    const common = users.reduce((bits, group) => bits & (this.itemsOf[group] ?? 0), -1) & ~first
    const isUseless = (items: number) => users.some((group) => ((this.open[group] ?? 0) & items) === 0)
    // If items are free, the largest set is the best one.
    const least = this.table.costs.item === 0 ? common : 0
    for (let more = common; ; more = (more - 1) & common) {
      this.steps += 1
      const items = more | first
      if (!isUseless(items)) {
        const next = cost + this.costOf(items, users.length)
        if (next < this.bestCost) this.choose({ items, groups }, next, chosen)
      }
      if (more === least || this.steps >= STEPS_MAX) return
    }
  }

  private choose(set: Biclique, cost: number, chosen: readonly Biclique[]): void {
    const users = bitsOf(set.groups)
    const before = users.map((group) => this.open[group] ?? 0)
    for (const group of users) this.open[group] = (this.open[group] ?? 0) & ~set.items
    this.extend(cost, [...chosen, set])
    for (const [i, group] of users.entries()) this.open[group] = before[i] ?? 0
  }

  /**
   * A lower bound on the remaining cost: each open item is listed once more, each open group uses one more set, and no
   * set covers two of the cells that are `apart`. A group with a unique item uses a set that no other group can use: its
   * other items are either listed there only for this group, or require one more set.
   */
  private leastToCome(): number {
    const { group: use } = this.table.costs
    let own = 0
    let shared = 0
    let groups = 0
    let extra = 0
    const apart: { readonly group: number; readonly item: number }[] = []
    for (const [group, bits] of this.open.entries()) {
      if (bits === 0) continue
      groups += 1
      const alone = bits & this.unique
      own |= alone
      shared |= bits & ~this.unique
      if (alone !== 0) extra += Math.min(use, this.listingOf(bits & ~this.unique))
      for (const item of bitsOf(bits)) {
        const has = (of: number, wanted: number) => ((this.itemsOf[of] ?? 0) >> wanted) & 1
        if (apart.every((other) => !has(group, other.item) || !has(other.group, item)))
          apart.push({ group, item })
      }
    }
    const listing = this.listingOf(own) + Math.max(extra, this.listingOf(shared))
    return this.table.costs.set * apart.length + use * groups + listing
  }

  private listingOf(items: number): number {
    return this.table.costs.item * this.weightOf(items)
  }

  private costOf(items: number, groups: number): number {
    const { set, group } = this.table.costs
    return set + this.listingOf(items) + group * groups
  }

  private weightOf(items: number): number {
    return bitsOf(items).reduce((sum, item) => sum + (this.table.weights[item] ?? 0), 0)
  }
}

function bitsOf(bits: number): number[] {
  const found: number[] = []
  for (let left = bits; left !== 0; left &= left - 1) found.push(Math.log2(left & -left))
  return found
}
