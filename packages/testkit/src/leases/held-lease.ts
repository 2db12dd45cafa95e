/** The lease of one process, timed by two clocks. Decisions: read leases. */
import type { Mistake } from './mistakes.ts'

export const LEASE_MS = 2_500

/** An instant, by the monotonic clock and by the wall clock. */
export interface Moment {
  readonly at: number
  readonly atWall: number
}

/** When the lease was requested. */
export interface Question extends Moment {
  readonly drops: number
}

export class HeldLease {
  /** Counts ended leases: a lease that was requested before the last end is void. */
  drops = 0
  private readonly mistake: Mistake | undefined
  private granted: (Moment & { isOver: boolean }) | undefined

  constructor(mistake: Mistake | undefined) {
    this.mistake = mistake
  }

  /** @returns the callback for a timer with the length of the lease; undefined if no lease was granted. */
  grant(asked: Question): (() => void) | undefined {
    if (asked.drops !== this.drops) {
      if (this.mistake !== 'a grant that is under way survives the end of leases') return undefined
    }
    const granted = { at: asked.at, atWall: asked.atWall, isOver: false }
    this.granted = granted
    return () => {
      granted.isOver = true
    }
  }

  /** An expired lease does not become valid again when the wall clock is set. */
  isValid(now: Moment): boolean {
    if (this.granted !== undefined && this.hasRunOut(this.granted, now)) this.granted = undefined
    return this.granted !== undefined
  }

  private hasRunOut(granted: Moment & { readonly isOver: boolean }, { at, atWall }: Moment): boolean {
    const { mistake } = this
    if (mistake === 'a lease ends by a timer, which does not run during a pause') return granted.isOver
    if (at - granted.at >= LEASE_MS) return true
    if (mistake === 'a lease lives on while the machine sleeps') return false
    return Math.abs(atWall - granted.atWall) >= LEASE_MS
  }

  drop(): void {
    this.drops += 1
    this.granted = undefined
  }
}
