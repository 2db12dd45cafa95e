import type { OwnSlots } from '../http/listener/connections/connection-slots.ts'

/** The connection slots that one worker has taken, to be freed when it ends. */
export class WorkerSlots {
  private readonly slots: OwnSlots
  private readonly taken = new Map<string, number>()

  /** @param slots of the server. */
  constructor(slots: OwnSlots) {
    this.slots = slots
  }

  /** Takes a slot for a client. @returns whether one was free. */
  take(client: string): boolean {
    const isTaken = this.slots.take(client)
    if (isTaken) this.taken.set(client, (this.taken.get(client) ?? 0) + 1)
    return isTaken
  }

  free(client: string): void {
    const left = (this.taken.get(client) ?? 1) - 1
    if (left > 0) this.taken.set(client, left)
    else this.taken.delete(client)
    this.slots.free(client)
  }

  /** The worker has ended. */
  freeAll(): void {
    for (const [client, connections] of this.taken) {
      for (let i = 0; i < connections; i += 1) this.slots.free(client)
    }
    this.taken.clear()
  }
}
