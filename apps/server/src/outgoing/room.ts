/** How many requests to one datacenter may be in flight at a time. */

export interface RoomLimits {
  readonly inFlightMax: number
  /** Of requests without a token that is known here, so that strangers leave room for others. */
  readonly strangersMax: number
  /** Of blocking queries, which take up room for minutes, so that they leave room for writes. */
  readonly waitersMax: number
}

interface Guest {
  readonly isOfKnownCaller: boolean
  readonly waitMs: number
}

export class Room {
  private readonly limits: RoomLimits
  private readonly guests = { all: 0, strangers: 0, waiters: 0 }

  constructor(limits: RoomLimits) {
    this.limits = limits
  }

  isFull({ isOfKnownCaller, waitMs }: Guest): boolean {
    const { all, strangers, waiters } = this.guests
    const { inFlightMax, strangersMax, waitersMax } = this.limits
    if (all >= inFlightMax) return true
    return (!isOfKnownCaller && strangers >= strangersMax) || (waitMs > 0 && waiters >= waitersMax)
  }

  /** @returns what to call once the request has ended. */
  enter(guest: Guest): () => void {
    this.count(guest, 1)
    return () => this.count(guest, -1)
  }

  private count({ isOfKnownCaller, waitMs }: Guest, by: number): void {
    this.guests.all += by
    if (!isOfKnownCaller) this.guests.strangers += by
    if (waitMs > 0) this.guests.waiters += by
  }
}
