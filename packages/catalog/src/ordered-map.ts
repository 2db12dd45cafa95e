/** A map whose values are in the order of their keys. The sorted list is built on demand and cached until a change. */
export class OrderedMap<T> {
  private readonly entries = new Map<string, T>()
  private sortedKeys: readonly string[] | undefined
  private list: readonly T[] | undefined

  get size(): number {
    return this.entries.size
  }

  get(key: string): T | undefined {
    return this.entries.get(key)
  }

  set(key: string, value: T): void {
    if (!this.entries.has(key)) this.sortedKeys = undefined
    this.entries.set(key, value)
    this.list = undefined
  }

  delete(key: string): boolean {
    if (!this.entries.delete(key)) return false
    this.sortedKeys = undefined
    this.list = undefined
    return true
  }

  /** The values in UTF-16 order of the keys. The returned list never changes. */
  values(): readonly T[] {
    this.list ??= this.keys().map((key) => this.entries.get(key) as T)
    return this.list
  }

  private keys(): readonly string[] {
    this.sortedKeys ??= [...this.entries.keys()].sort()
    return this.sortedKeys
  }
}

const NONE: readonly never[] = []

/** Lists of values by group key. */
export class Groups<T> {
  private readonly groups = new Map<string, OrderedMap<T>>()

  of(group: string): readonly T[] {
    return this.groups.get(group)?.values() ?? NONE
  }

  /** Moves a value from the group `from` to the group `to`. Either may be undefined. */
  move(key: string, from: string | undefined, to: string | undefined, value: T | undefined): void {
    if (from !== undefined && from !== to) this.remove(from, key)
    if (to === undefined || value === undefined) return
    const group = this.groups.get(to) ?? new OrderedMap<T>()
    group.set(key, value)
    this.groups.set(to, group)
  }

  private remove(name: string, key: string): void {
    const group = this.groups.get(name)
    group?.delete(key)
    if (group?.size === 0) this.groups.delete(name)
  }
}
