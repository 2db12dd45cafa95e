/** Room for the long request bodies of a process. Decisions: bounds. */
import { AclError, limits } from '@latchkey/contract'

const LOOK_INTERVAL_MS = 100
/** A connection that waits is not read, so its client's leaving is not seen before its time is over. */
const WAITING_MAX = 64

/** Room for one body, from when it is asked for until it is released. */
export interface BodyRoom {
  /** @throws AclError `unavailable` where there is no room in time. */
  readonly granted: Promise<void>
  /** The body has arrived: from now on it may be held for as long as its request takes. */
  arrived(): void
  /** The client has gone. What has arrived is held until it is released: work on it may wait for its turn. */
  abandon(): void
  release(): void
}

interface Place {
  readonly bytes: number
  readonly grant: () => void
  readonly refuse: (error: AclError) => void
  /** Called where the body takes too long to arrive. */
  readonly onOverdue: () => void
  since: number
  isGranted: boolean
}

/**
 * Hands out room in the order in which it is asked for. Room is for a whole body, so that those that have it can always
 * finish. A client that sends its body slowly may do so until another one waits.
 */
export class BodyBudget {
  private free = limits.BODIES_BYTES_MAX
  private readonly waiting = new Set<Place>()
  private readonly arriving = new Set<Place>()
  private looking: NodeJS.Timeout | undefined

  /**
   * @param bytes a body of more than there is gets all of it.
   * @param onOverdue called once, where the body has not arrived in time and others wait.
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

  /** While bodies wait. Both sets are in the order of their times. */
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
