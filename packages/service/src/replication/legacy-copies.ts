/** Copies of legacy tokens that a secondary holds from before its upgrade: global tokens without an accessor. Spec 9.2.3. */
import type { Clock } from '@latchkey/acl'
import type { Store } from '../store/store.ts'

/** How long copies are kept whose deletion needs consent, before they are compared again without. */
const KEPT_MS = 600_000

/**
 * Each copy takes over the accessor of its token, found by secret, when that arrives. While the primary still assigns accessors, a
 * copy that has none is one whose token is on its way. Afterwards it has no original, and a repair deletes it.
 */
export class LegacyCopies {
  private readonly options: { readonly store: Store; readonly clock: Clock }
  /** Nothing makes new ones in a datacenter that follows its primary. */
  private mayBeHeld = true
  private keptUntil = 0
  /** Whether everything is to be compared next. */
  areDue = false
  /** Whether the tokens of the primary are more than a repair collects. */
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
   * Whether a first copy may be stored as it comes, which makes clients wait until it is complete. Legacy copies are in use, so
   * then everything is collected first, if that is possible.
   */
  async mayGoInSlices(): Promise<boolean> {
    return this.areTooMany || !(await this.areHeld())
  }

  /** @param withoutAccessor tokens of the primary that had no accessor before the answer that was just applied. */
  async afterAnswer(withoutAccessor: number, isAccepted: boolean): Promise<void> {
    if (withoutAccessor > 0 || !(await this.areHeld())) return
    this.areDue = isAccepted || this.options.clock.now() >= this.keptUntil
  }

  /** Their deletion needs an operator's consent. */
  keep(): void {
    this.keptUntil = this.options.clock.now() + KEPT_MS
  }
}
