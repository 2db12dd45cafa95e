/**
 * Finds duplicate secrets among millions of tokens without storing them. A slot has twelve bytes: 64 bits of a keyed
 * hash, and the position of the token. Every run draws a new key, so the hashes are useless elsewhere.
 */
import { randomFillSync } from 'node:crypto'
import type { SeenIds } from '@latchkey/acl'

const SLOTS_MIN = 1 << 16
/** Load factor at which the table grows. */
const LOAD_MAX = 0.6

/** The positions of the secrets read so far. */
export class IdIndex implements SeenIds {
  private readonly key = randomFillSync(new Uint32Array(2))
  private slots = SLOTS_MIN
  private used = 0
  private table = new Uint32Array(SLOTS_MIN * 3)

  get(id: string): number | undefined {
    const at = this.find(this.table, this.slots, ...this.hash(id))
    const position = this.table[at + 2] ?? 0
    return position === 0 ? undefined : position - 1
  }

  set(id: string, position: number): void {
    if (this.used >= this.slots * LOAD_MAX) this.grow()
    const [high, low] = this.hash(id)
    const at = this.find(this.table, this.slots, high, low)
    if (this.table[at + 2] === 0) this.used += 1
    this.table[at] = high
    this.table[at + 1] = low
    this.table[at + 2] = position + 1
  }

  /** Two rounds of a multiplicative hash with different keys. */
  private hash(id: string): [high: number, low: number] {
    let high = this.key[0] ?? 0
    let low = this.key[1] ?? 0
    for (let i = 0; i < id.length; i++) {
      const code = id.charCodeAt(i)
      high = Math.imul(high ^ code, 0x9e3779b1)
      high ^= high >>> 15
      low = Math.imul(low + code, 0x85ebca6b)
      low ^= low >>> 13
    }
    return [high >>> 0, (low ^ id.length) >>> 0]
  }

  /** Offset of the slot with this hash, or of the free slot for it. */
  private find(table: Uint32Array, slots: number, high: number, low: number): number {
    for (let slot = low & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const at = slot * 3
      if (table[at + 2] === 0 || (table[at] === high && table[at + 1] === low)) return at
    }
  }

  private grow(): void {
    const slots = this.slots * 2
    const table = new Uint32Array(slots * 3)
    for (let at = 0; at < this.table.length; at += 3) {
      if (this.table[at + 2] === 0) continue
      const free = this.find(table, slots, this.table[at] ?? 0, this.table[at + 1] ?? 0)
      table.set(this.table.subarray(at, at + 3), free)
    }
    this.slots = slots
    this.table = table
  }
}
