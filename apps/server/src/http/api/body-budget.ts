/** Limits the memory of long request bodies in one process. Decisions: bounds. */
import { AclError, limits } from '@latchkey/contract'

const LOOK_INTERVAL_MS = 100
/** A waiting connection is not read, so a client that leaves is only noticed when its wait ends. */
const WAITING_MAX = 64

/** A reservation for one body, from `ask` to `release`. */
export interface BodyRoom {
  /** @throws AclError `unavailable` if no room becomes free in time. */
  readonly granted: Promise<void>
  /** Call when the body has arrived. From then on, the reservation has no time limit. */
  arrived(): void
  /**
   * Call when the client has left. A body that has arrived stays reserved until its release, because it may still be in
   * use.
   */
  abandon(): void
  release(): void
}

interface Place {
  readonly bytes: number
  readonly grant: () => void
  readonly refuse: (error: AclError) => void
  /** Called if the body takes too long to arrive. */
  readonly onOverdue: () => void
  since: number
  isGranted: boolean
}

/**
 * Grants reservations in order of request. Each covers a whole body, so an admitted body can always finish. A slow
 * client keeps its reservation until another body waits.
 */
export class BodyBudget {
  private free = limits.BODIES_BYTES_MAX
  private readonly waiting = new Set<Place>()
  private readonly arriving = new Set<Place>()
  private looking: NodeJS.Timeout | undefined

  /**
   * @param bytes capped at the whole budget.
   * @param onOverdue called at most once, if the body has not arrived in time and others wait.
   */
  ask(bytes: number, onOverdue: () => void): BodyRoom {
    const { promise: granted, resolve, reject } = Promise.withResolvers<void>()
    const counted = Math.min(bytes, limits.BODIES_BYTES_MAX)
    const since = performance.now()
    const place = { bytes: counted, grant: resolve, refuse: reject, onOverdue, since, isGranted: false }
    if (this.waiting.size < WAITING_MAX) this.waiting.add(place)
    else reject(tooMany())
    this.admit()
    if (this.waiting.size > 0) this.looking ??= setInterval(() => this.look(), LOOK_INTERVAL_MS)
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      if (this.waiting.delete(place)) reject(tooMany())
      if (place.isGranted) this.free += counted
      this.arriving.delete(place)
      this.admit()
    }
    return {
      granted,
      arrived: () => void this.arriving.delete(place),
      abandon: () => {
        if (this.waiting.has(place)) release()
      },
      release,
    }
  }

  private admit(): void {
    for (const place of this.waiting) {
      if (place.bytes > this.free) return
      this.waiting.delete(place)
      this.free -= place.bytes
      place.since = performance.now()
      place.isGranted = true
      this.arriving.add(place)
      place.grant()
    }
    clearInterval(this.looking)
    this.looking = undefined
  }

  /** Runs while bodies wait. Both sets are ordered by time. */
  private look(): void {
    const latest = performance.now() - limits.BODY_WAIT_MS_MAX
    for (const place of this.arriving) {
      if (place.since > latest) break
      this.arriving.delete(place)
      place.onOverdue()
    }
    for (const place of this.waiting) {
      if (place.since > latest) break
      this.waiting.delete(place)
      place.refuse(tooMany())
    }
    this.admit()
  }
}

function tooMany(): AclError {
  return new AclError('unavailable', 'Too many long bodies are being read: try again later', {
    headers: { 'Retry-After': '1' },
  })
}
