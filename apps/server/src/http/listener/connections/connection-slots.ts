/** Counts the open connections of clients. */
export interface ConnectionSlots {
  /** Takes a slot for a client. @returns whether one was free. */
  take(client: string): boolean | Promise<boolean>
  /** Frees a slot that was taken. */
  free(client: string): void
}

/** The slots of this process. */
export class OwnSlots implements ConnectionSlots {
  private readonly max: number
  private readonly open = new Map<string, number>()

  /** @param max per client; 0 for no limit. */
  constructor(max: number) {
    this.max = max
  }

  take(client: string): boolean {
    if (this.max === 0) return true
    const connections = (this.open.get(client) ?? 0) + 1
    if (connections > this.max) return false
    this.open.set(client, connections)
    return true
  }

  free(client: string): void {
    if (this.max === 0) return
    const left = (this.open.get(client) ?? 1) - 1
    if (left === 0) this.open.delete(client)
    else this.open.set(client, left)
  }
}
