/** Copies of legacy tokens that a secondary has from before its upgrade: global tokens without an accessor. Spec 9.2.3. */
import type { Clock } from '@latchkey/acl'
import type { Store } from '../store/store.ts'

/** How long copies are kept if their deletion needs consent, before they are compared again without it. */
const KEPT_MS = 600_000

/**
 * Each copy takes over the accessor of its token when the token arrives; they match by secret. While the primary still assigns
 * accessors, the tokens of copies without one have not arrived yet. Afterwards, such a copy has no original, and a repair
 * deletes it.
 */
export class LegacyCopies {
  private readonly options: { readonly store: Store; readonly clock: Clock }
  /** Once false, stays false: a datacenter that follows its primary gets no new copies. */
  private mayBeHeld = true
  private keptUntil = 0
  /** Whether all records must be compared next. */
  areDue = false
  /** Whether the primary has more tokens than a repair can collect. */
  areTooMany = false

  constructor(options: { readonly store: Store; readonly clock: Clock }) {
    this.options = options
  }

  async areHeld(): Promise<boolean> {
    if (!this.mayBeHeld) return false
    this.mayBeHeld = (await this.options.store.countTokens({ withoutAccessor: true, local: false })) > 0
    return this.mayBeHeld
  }

  /**
   * Whether a first copy may be stored as it arrives, which makes clients wait until it is complete. If legacy copies are in
   * use, everything is collected first, if it fits in memory.
   */
  async mayGoInSlices(): Promise<boolean> {
    return this.areTooMany || !(await this.areHeld())
  }

  /** @param withoutAccessor tokens of the primary that had no accessor before the answer that was just applied. */
  async afterAnswer(withoutAccessor: number, isAccepted: boolean): Promise<void> {
    if (withoutAccessor > 0 || !(await this.areHeld())) return
    this.areDue = isAccepted || this.options.clock.now() >= this.keptUntil
  }

  /** Keeps the copies for now, because deleting them needs an operator's consent. */
  keep(): void {
    this.keptUntil = this.options.clock.now() + KEPT_MS
  }
}
