/** Defines a long proof. */

/** A long run that demonstrates guarantees. */
export interface Proof {
  /** Guarantees of docs/reliability.md that it proves. */
  readonly ids: readonly string[]
  /** Unit of the count, and its values for a full and a small run. */
  readonly unit: string
  readonly count: number
  readonly small: number
  /** Why it cannot run on this machine; absent: it always can. */
  readonly whyNot?: () => string | undefined
  readonly run: (count: number, seed: number) => Promise<ProofResult>
}

export interface ProofResult {
  readonly isProven: boolean
  readonly figures: object
}
