/** A set of many accessors at 16 bytes each: a copy needs the accessors of all tokens of the primary. */

const WORDS = 4
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
const SMALLEST = 1_024

export class AccessorSet {
  /** Slots of four words; a slot of zeros is empty. */
  private slots = new Uint32Array(SMALLEST * WORDS)
  private count = 0
  /** Accessors that do not fit into a slot: IDs of other shapes, and the all-zero UUID. */
  private readonly others = new Set<string>()
  private readonly removed = new Set<string>()

  /** @param accessorId in lower case, as everywhere here. */
  add(accessorId: string): void {
    this.removed.delete(accessorId)
    const words = wordsOf(accessorId)
    if (words === undefined) {
      this.others.add(accessorId)
      return
    }
    if ((this.count + 1) * WORDS * 2 > this.slots.length) this.grow()
    if (put(this.slots, words)) this.count += 1
  }

  delete(accessorId: string): void {
    this.removed.add(accessorId)
  }

  has(accessorId: string): boolean {
    if (this.removed.has(accessorId)) return false
    const words = wordsOf(accessorId)
    if (words === undefined) return this.others.has(accessorId)
    return isAt(this.slots, slotOf(this.slots, words), words)
  }

  private grow(): void {
    const larger = new Uint32Array(this.slots.length * 2)
    for (let at = 0; at < this.slots.length; at += WORDS) {
      const words = this.slots.subarray(at, at + WORDS)
      if (words.some((word) => word !== 0)) put(larger, words)
    }
    this.slots = larger
  }
}

/** `undefined` if the text is not a UUID, or all zeros. */
function wordsOf(accessorId: string): Uint32Array | undefined {
  if (!UUID.test(accessorId)) return undefined
  const hex = accessorId.replaceAll('-', '')
  const words = Uint32Array.from({ length: WORDS }, (_, i) =>
    Number.parseInt(hex.slice(i * 8, i * 8 + 8), 16),
  )
  return words.some((word) => word !== 0) ? words : undefined
}

/** @returns whether it is new. */
function put(slots: Uint32Array, words: Uint32Array): boolean {
  const at = slotOf(slots, words)
  if (isAt(slots, at, words)) return false
  slots.set(words, at)
  return true
}

/** The slot with these words, or the empty slot for them. Clients can choose accessors, so all words go into the hash. */
function slotOf(slots: Uint32Array, words: Uint32Array): number {
  let hash = 0
  for (const word of words) hash = Math.imul(hash ^ word, 0x9e37_79b1) ^ (hash >>> 15)
  const mask = slots.length / WORDS - 1
  let slot = (hash >>> 0) & mask
  while (!isEmpty(slots, slot * WORDS) && !isAt(slots, slot * WORDS, words)) slot = (slot + 1) & mask
  return slot * WORDS
}

function isEmpty(slots: Uint32Array, at: number): boolean {
  return slots[at] === 0 && slots[at + 1] === 0 && slots[at + 2] === 0 && slots[at + 3] === 0
}

function isAt(slots: Uint32Array, at: number, words: Uint32Array): boolean {
  return words.every((word, i) => slots[at + i] === word)
}
