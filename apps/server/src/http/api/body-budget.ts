/** Limits the memory of long request bodies in one process, and shares it fairly. Decisions: bounds. */
import { limits } from '@latchkey/contract'
import { Semaphore, type Share } from '@latchkey/service'

const LOOK_INTERVAL_MS = 100
/** A body that waits is granted what an overdue one leaves, even at the end of its own wait. */
const WAIT_MS_MAX = limits.BODY_WAIT_MS_MAX + LOOK_INTERVAL_MS
/** The most that the bodies of one client address, or with one token, may reserve together. */
const ADDRESS_BYTES_MAX = (limits.BODIES_BYTES_MAX / 4) * 3
const TOKEN_BYTES_MAX = limits.BODIES_BYTES_MAX / 2

export interface BodySender {
  /** Address of the client; undefined for a trusted proxy, which brings the bodies of many clients. */
  readonly address?: string | undefined
  readonly token?: string | undefined
}

export interface Reservation {
  /** @throws AclError `unavailable` if no memory becomes free in time, or after a release. */
  readonly granted: Promise<void>
  /** Call when the body has arrived. From then on, the reservation has no time limit. */
  arrived(): void
  /** Call when the client has left. A reservation that was granted stays, because its body may still be in use. */
  abandon(): void
  release(): void
}

/** The permits are bytes. A connection whose body waits is not read. */
export function bodyBudget(): Semaphore {
  return new Semaphore(limits.BODIES_BYTES_MAX)
}

/** Reserves memory for a whole body. `onOverdue`: called once if it is late and others wait. */
export function reserve(
  budget: Semaphore,
  bytes: number,
  onOverdue: () => void,
  sender: BodySender = {},
): Reservation {
  const ending = new AbortController()
  const { signal } = ending
  const shares = sharesOf(sender)
  let isGranted = false
  let looking: NodeJS.Timeout | undefined
  const hold = () => {
    isGranted = true
    const overdueAt = performance.now() + limits.BODY_WAIT_MS_MAX
    looking = setInterval(() => {
      if (performance.now() < overdueAt || !budget.isAwaited(shares)) return
      clearInterval(looking)
      onOverdue()
    }, LOOK_INTERVAL_MS)
  }
  const claim = budget.acquire({ permits: bytes, shares, signal, waitMsMax: WAIT_MS_MAX })
  const granted = claim.then((release) => {
    if (signal.aborted) return release()
    signal.addEventListener('abort', release, { once: true })
    hold()
  })
  const arrived = () => clearInterval(looking)
  const release = () => {
    arrived()
    ending.abort()
  }
  return {
    granted,
    arrived,
    abandon: () => {
      if (!isGranted) release()
    },
    release,
  }
}

function sharesOf({ address, token }: BodySender): readonly Share[] {
  const shares = [
    ...(address === undefined ? [] : [{ key: `address ${address}`, max: ADDRESS_BYTES_MAX }]),
    ...(token === undefined ? [] : [{ key: `token ${token}`, max: TOKEN_BYTES_MAX }]),
  ]
  // Callers without a token, behind a proxy, share what one token may have.
  return shares.length > 0 ? shares : [{ key: '', max: TOKEN_BYTES_MAX }]
}
