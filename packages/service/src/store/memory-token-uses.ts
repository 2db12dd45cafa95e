import { idleHorizon } from '@latchkey/acl'
import type { TokenUse, TokenUses } from './store.ts'

/** Kept apart from the tables: a use is not a commit. */
export class MemoryTokenUses implements TokenUses {
  /** In milliseconds since the epoch, by lower-case accessor. */
  private readonly lastUses = new Map<string, number>()

  noteKnown({ accessorId, limit, now, until }: TokenUse): boolean {
    const key = accessorId.toLowerCase()
    const last = Math.max(this.lastUses.get(key) ?? 0, limit.since)
    if (last <= idleHorizon(limit, now)) return false
    this.lastUses.set(key, Math.max(last, until))
    return true
  }

  async use(use: TokenUse): Promise<boolean> {
    return this.noteKnown(use)
  }

  lastUse(accessorId: string): number | undefined {
    return this.lastUses.get(accessorId.toLowerCase())
  }

  forget(accessorId: string): void {
    this.lastUses.delete(accessorId.toLowerCase())
  }
}
