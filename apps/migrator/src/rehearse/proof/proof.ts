/** One statement that a rehearsal proves, or finds false. */
export interface Proof {
  readonly name: string
  readonly holds: boolean
  readonly detail: string
}
