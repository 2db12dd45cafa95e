/** An LRU cache, bounded by the total weight of its entries, such as their bytes. */
export class BoundedMap<Key, Value> {
  /** A Map keeps insertion order, and every use inserts again, so the first entry is the least recently used. */
  private readonly entries = new Map<Key, { readonly value: Value; readonly weight: number }>()
  private readonly maxWeight: number
  private readonly sizeMin: number
  private totalWeight = 0

  /** @param options keepsLast: the latest value stays, whatever its weight. */
  constructor(maxWeight: number, options: { readonly keepsLast?: true } = {}) {
    this.maxWeight = maxWeight
    this.sizeMin = options.keepsLast ? 1 : 0
  }

  get size(): number {
    return this.entries.size
  }

  get weight(): number {
    return this.totalWeight
  }

  get(key: Key): Value | undefined {
    const entry = this.entries.get(key)
    if (entry === undefined) return undefined
    this.entries.delete(key)
    this.entries.set(key, entry)
    return entry.value
  }

  /** Adds or replaces a value, and evicts others down to the bound. */
  set(key: Key, value: Value, weight: number): Value {
    this.delete(key)
    this.entries.set(key, { value, weight })
    this.totalWeight += weight
    for (const oldest of this.entries.keys()) {
      if (this.totalWeight <= this.maxWeight || this.entries.size <= this.sizeMin) break
      this.delete(oldest)
    }
    return value
  }

  delete(key: Key): void {
    this.totalWeight -= this.entries.get(key)?.weight ?? 0
    this.entries.delete(key)
  }

  clear(): void {
    this.entries.clear()
    this.totalWeight = 0
  }
}
