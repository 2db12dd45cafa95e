/** Who a check belongs to. */
interface Owner {
  /** AccessorID of the token that registered it. */
  readonly token: string
  /** Its name in lower case; empty for the checks of the node. */
  readonly service: string
}

type Work = (signal: AbortSignal) => Promise<void>

/**
 * Limits how many checks run at a time. Each service and each token may hold only a part of what the others leave free:
 * checks that hang never hold all places. Owners take turns.
 */
export class FairQueue {
  private free: number
  /** Places by service and by token. */
  private readonly held = new Map<string, number>()
  /** What waits, by owner. The first owner has waited longest for its turn. */
  private readonly waiting = new Map<string, { readonly owner: Owner; readonly starts: Set<() => void> }>()

  constructor(places: number) {
    this.free = places
  }

  /**
   * Runs the work as soon as it has a place.
   *
   * @param work must not reject.
   * @returns a function that ends the work: if it still waits it never starts, otherwise its signal is aborted.
   */
  add(owner: Owner, work: Work): () => void {
    const stop = new AbortController()
    const key = JSON.stringify([owner.token, owner.service])
    const { starts } = this.waiting.get(key) ?? { starts: new Set<() => void>() }
    const start = () => {
      this.count(owner, 1)
      void work(stop.signal).finally(() => {
        this.count(owner, -1)
        this.startNext()
      })
    }
    starts.add(start)
    this.waiting.set(key, { owner, starts })
    this.startNext()
    return () => {
      starts.delete(start)
      stop.abort()
    }
  }

  private startNext(): void {
    for (const [key, { owner, starts }] of this.waiting) {
      const [start] = starts
      if (start && !this.mayStart(owner)) continue
      this.waiting.delete(key)
      if (!start) continue
      starts.delete(start)
      // Another turn comes after those of all other owners.
      if (starts.size > 0) this.waiting.set(key, { owner, starts })
      start()
    }
  }

  /** At most a third of the places for one service and three quarters for one token, and less of what others leave. */
  private mayStart({ token, service }: Owner): boolean {
    const ofService = this.held.get(serviceKey(service)) ?? 0
    const ofToken = this.held.get(tokenKey(token)) ?? 0
    return ofService * 2 < this.free && ofToken < this.free * 3
  }

  private count({ token, service }: Owner, by: 1 | -1): void {
    this.free -= by
    for (const key of [serviceKey(service), tokenKey(token)]) {
      const held = (this.held.get(key) ?? 0) + by
      if (held === 0) this.held.delete(key)
      else this.held.set(key, held)
    }
  }
}

function serviceKey(service: string): string {
  return `service ${service}`
}

function tokenKey(token: string): string {
  return `token ${token}`
}
