/** A map whose values are in the order of their keys. The sorted list is built on demand and cached until a change. */
class OrderedMap<T> {
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

  delete(key: string): void {
    if (!this.entries.delete(key)) return
    this.sortedKeys = undefined
    this.list = undefined
  }

  /** The values in UTF-16 order of the keys. The returned list never changes. */
  values(): readonly T[] {
    this.sortedKeys ??= [...this.entries.keys()].sort()
    this.list ??= this.sortedKeys.map((key) => this.entries.get(key) as T)
    return this.list
  }
}

const NONE: readonly never[] = []

/** The records of a table by key, and groups of them by other keys. Lists are in the order of the keys. */
export class Table<T> {
  private readonly records = new OrderedMap<T>()
  private readonly groups = new Map<string, OrderedMap<T>>()
  private readonly groupsOf: (record: T) => readonly string[]

  /** @param groupsOf the groups of a record. The keys of all groups must differ. */
  constructor(groupsOf: (record: T) => readonly string[] = () => NONE) {
    this.groupsOf = groupsOf
  }

  get(key: string): T | undefined {
    return this.records.get(key)
  }

  values(): readonly T[] {
    return this.records.values()
  }

  in(group: string): readonly T[] {
    return this.groups.get(group)?.values() ?? NONE
  }

  set(key: string, record: T | undefined): void {
    const before = this.records.get(key)
    const groups = record === undefined ? NONE : this.groupsOf(record)
    for (const name of before === undefined ? NONE : this.groupsOf(before)) {
      const group = groups.includes(name) ? undefined : this.groups.get(name)
      group?.delete(key)
      if (group?.size === 0) this.groups.delete(name)
    }
    if (record === undefined) {
      this.records.delete(key)
      return
    }
    this.records.set(key, record)
    for (const name of groups) {
      const group = this.groups.get(name) ?? new OrderedMap<T>()
      group.set(key, record)
      this.groups.set(name, group)
    }
  }
}
