/** From this size on, evictions happen in bulk: a Map scans past deleted entries to find its first. */
const LARGE_SIZE = 2_000
const KEPT_IN_BULK = 0.98

/** An entry, valid until evicted or deleted. Holding a slot saves the look-up. */
export interface Slot<Value> {
  readonly value: Value
  readonly weight: number
  isUsed: boolean
}

/**
 * A cache bounded by the total weight of its entries, such as their bytes or 1 each. Evicts by second chance, an approximation
 * of LRU in which a hit costs one assignment.
 */
export class BoundedMap<Key, Value> {
  private readonly slots = new Map<Key, Slot<Value>>()
  private readonly maxWeight: number
  private readonly keepsLast: boolean
  private readonly onEvict: ((value: Value) => void) | undefined
  private totalWeight = 0

  /**
   * @param maxWeight 0 keeps nothing.
   * @param options keepsLast: never evicts the latest value, whatever its weight. onEvict: called with each evicted value.
   */
  constructor(
    maxWeight: number,
    options: { readonly keepsLast?: true; readonly onEvict?: (value: Value) => void } = {},
  ) {
    this.maxWeight = maxWeight
    this.keepsLast = options.keepsLast ?? false
    this.onEvict = options.onEvict
  }

  get size(): number {
    return this.slots.size
  }

  get weight(): number {
    return this.totalWeight
  }

  get(key: Key): Value | undefined {
    const slot = this.slots.get(key)
    if (slot === undefined) return undefined
    slot.isUsed = true
    return slot.value
  }

  set(key: Key, value: Value, weight: number): Value {
    this.place(key, value, weight)
    return value
  }

  /** Like {@link BoundedMap.set}. @returns its slot; undefined if it is too heavy to be kept. */
  place(key: Key, value: Value, weight: number): Slot<Value> | undefined {
    this.delete(key)
    if (weight > this.maxWeight && !this.keepsLast) return undefined
    this.makeRoom(weight)
    const slot = { value, weight, isUsed: false }
    this.slots.set(key, slot)
    this.totalWeight += weight
    return slot
  }

  delete(key: Key): boolean {
    this.totalWeight -= this.slots.get(key)?.weight ?? 0
    return this.slots.delete(key)
  }

  clear(): void {
    this.slots.clear()
    this.totalWeight = 0
  }

  private makeRoom(weight: number): void {
    if (this.totalWeight + weight <= this.maxWeight) return
    const enough = this.maxWeight * (this.slots.size < LARGE_SIZE ? 1 : KEPT_IN_BULK) - weight
    for (const [key, slot] of this.slots) {
      if (this.totalWeight <= enough) return
      if (slot.isUsed) {
        // Second chance: moves the slot to the end of the queue. The loop reaches it again only if all others were used.
        slot.isUsed = false
        this.slots.delete(key)
        this.slots.set(key, slot)
      } else {
        this.delete(key)
        this.onEvict?.(slot.value)
      }
    }
  }
}
