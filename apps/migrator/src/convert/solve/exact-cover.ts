/**
 * The cheapest cover of a small table of groups and items by bicliques: sets of items that some groups have in full. Branch
 * and bound, with a bounded number of steps, so that it either proves the minimum or says that it did not.
 */

interface CoverTable {
  readonly groupCount: number
  /** The groups of each item, ascending. At most thirty of each. */
  readonly users: readonly (readonly number[])[]
  /** What listing an item in a set costs. */
  readonly weights: readonly number[]
  /** What a set costs: itself, each unit of weight of its items, and each group that uses it. */
  readonly costs: { readonly set: number; readonly item: number; readonly group: number }
  /** The cost of a known solution. */
  readonly atMost: number
}

interface ExactCover {
  /** Undefined if there is none below the known cost. */
  readonly covers:
    | readonly { readonly items: readonly number[]; readonly groups: readonly number[] }[]
    | undefined
  /** Whether the search finished within its steps. */
  readonly isProven: boolean
}

/** Sets that are tried. */
const STEPS_MAX = 200_000

interface Biclique {
  /** As bits. */
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
  /** The items of each group, and the groups of each item, as bits. */
  private readonly itemsOf: readonly number[]
  private readonly groupsOf: readonly number[]
  /** The items of one group only. */
  private readonly unique: number
  /** The items of each group that no chosen set covers yet. */
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

  /** Covers the first open item in every possible way. */
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

  /** Every set that these groups have in full and that contains the item. */
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
    // Where listing an item costs nothing, the largest set serves best.
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
   * A bound: each open item is listed once more, each open group uses one more set, and no set serves two of the cells that
   * are `apart`. A group with an item of its own uses a set that no other can: its other items are listed there for it
   * alone, or cost one more use.
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
