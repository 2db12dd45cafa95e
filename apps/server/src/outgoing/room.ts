/** Maximum requests to one datacenter in flight. */

export interface RoomLimits {
  readonly inFlightMax: number
  /** Requests without a token known here. Limited, so that strangers leave room for others. */
  readonly strangersMax: number
  /** Blocking queries, which take up room for minutes. Limited, so that they leave room for writes. */
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

  /** @returns a function to call when the request has ended. A second call has no effect. */
  enter(guest: Guest): () => void {
    this.count(guest, 1)
    let isIn = true
    return () => {
      if (isIn) this.count(guest, -1)
      isIn = false
    }
  }

  private count({ isOfKnownCaller, waitMs }: Guest, by: number): void {
    this.guests.all += by
    if (!isOfKnownCaller) this.guests.strangers += by
    if (waitMs > 0) this.guests.waiters += by
  }
}
