/** Limits the memory of long request bodies in one process, and shares it fairly. Decisions: bounds. */
import { AclError, limits } from '@latchkey/contract'

const LOOK_INTERVAL_MS = 100
/** A waiting connection is not read, so a client that leaves is only noticed when its wait ends. */
const WAITING_MAX = 64
/** The most that the bodies of one client address, or with one token, may reserve together. */
const ADDRESS_BYTES_MAX = (limits.BODIES_BYTES_MAX / 4) * 3
const TOKEN_BYTES_MAX = limits.BODIES_BYTES_MAX / 2

/** Who sends a body. */
export interface BodySender {
  /** Address of the client; undefined for a trusted proxy, which brings the bodies of many clients. */
  readonly address?: string | undefined
  /** Identifies the valid token of the request, if it has one. */
  readonly token?: string | undefined
}

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

interface Flow {
  readonly key: string
  readonly bytesMax: number
  /** Bytes that its bodies have reserved. */
  held: number
  /** Bytes of its bodies that wait. */
  waiting: number
}

interface Place {
  readonly bytes: number
  /** The address and the token of the sender. */
  readonly flows: readonly Flow[]
  readonly grant: () => void
  readonly refuse: (error: AclError) => void
  /** Called if the body takes too long to arrive. */
  readonly onOverdue: () => void
  since: number
  isGranted: boolean
}

/**
 * A fair queue of reservations. Each covers a whole body, so an admitted body can always finish. The next body is that
 * of the sender that would then hold least, in order of request if equal; no address and no token can reserve the whole
 * budget with several bodies. If the queue is full, the sender that demands most loses its last place. A slow client
 * keeps its reservation until another body waits for it.
 */
export class BodyBudget {
  private free = limits.BODIES_BYTES_MAX
  private readonly waiting = new Set<Place>()
  private readonly arriving = new Set<Place>()
  private readonly flows = new Map<string, Flow>()
  private looking: NodeJS.Timeout | undefined

  /**
   * @param bytes capped at the whole budget.
   * @param onOverdue called at most once, if the body has not arrived in time and others wait.
   */
  ask(bytes: number, onOverdue: () => void, { address, token }: BodySender = {}): BodyRoom {
    const { promise: granted, resolve, reject } = Promise.withResolvers<void>()
    const counted = Math.min(bytes, limits.BODIES_BYTES_MAX)
    const flows = [
      ...(address === undefined ? [] : [this.flow(`address ${address}`, ADDRESS_BYTES_MAX)]),
      ...(token === undefined ? [] : [this.flow(`token ${token}`, TOKEN_BYTES_MAX)]),
    ]
    // Callers without a token, behind a proxy, share what one token may have.
    if (flows.length === 0) flows.push(this.flow('', TOKEN_BYTES_MAX))
    const place: Place = {
      bytes: counted,
      flows,
      grant: resolve,
      refuse: reject,
      onOverdue,
      since: performance.now(),
      isGranted: false,
    }
    this.enqueue(place)
    this.admit()
    if (this.waiting.size > 0) this.looking ??= setInterval(() => this.look(), LOOK_INTERVAL_MS)
    let isHeld = true
    const release = () => {
      if (!isHeld) return
      isHeld = false
      if (this.waiting.has(place)) this.refuse(place)
      if (place.isGranted) {
        this.free += counted
        for (const flow of flows) this.count(flow, { held: -counted })
      }
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

  private flow(key: string, bytesMax: number): Flow {
    const flow = this.flows.get(key) ?? { key, bytesMax, held: 0, waiting: 0 }
    this.flows.set(key, flow)
    return flow
  }

  private enqueue(place: Place): void {
    this.waiting.add(place)
    for (const flow of place.flows) this.count(flow, { waiting: place.bytes })
    if (this.waiting.size <= WAITING_MAX) return
    const last = [...this.waiting].reduce((worst, each) => (demandOf(each) >= demandOf(worst) ? each : worst))
    this.refuse(last)
  }

  private admit(): void {
    for (let place = this.next(); place; place = this.next()) {
      this.free -= place.bytes
      for (const flow of place.flows) this.count(flow, { held: place.bytes })
      this.leave(place)
      place.since = performance.now()
      place.isGranted = true
      this.arriving.add(place)
      place.grant()
    }
    if (this.waiting.size > 0) return
    clearInterval(this.looking)
    this.looking = undefined
  }

  /** The next body, or nothing while it does not fit. */
  private next(): Place | undefined {
    let next: Place | undefined
    for (const place of this.waiting) {
      if (isWithinShare(place) && (!next || loadOf(place) < loadOf(next))) next = place
    }
    return next && next.bytes <= this.free ? next : undefined
  }

  private leave(place: Place): void {
    this.waiting.delete(place)
    for (const flow of place.flows) this.count(flow, { waiting: -place.bytes })
  }

  /** Forgets a sender that has nothing here. */
  private count(flow: Flow, { held = 0, waiting = 0 }: Partial<Pick<Flow, 'held' | 'waiting'>>): void {
    flow.held += held
    flow.waiting += waiting
    if (flow.held + flow.waiting === 0) this.flows.delete(flow.key)
  }

  private refuse(place: Place): void {
    this.leave(place)
    place.refuse(tooMany())
  }

  /** Runs while bodies wait. Both sets are ordered by time. */
  private look(): void {
    const latest = performance.now() - limits.BODY_WAIT_MS_MAX
    const waiting = [...this.waiting]
    // Whoever waits for its own bodies takes no room from others.
    const isShort = waiting.some(isWithinShare)
    let frees = false
    for (const place of this.arriving) {
      if (place.since > latest) break
      if (!isShort && !waiting.some(({ flows }) => flows.some((flow) => place.flows.includes(flow)))) continue
      this.arriving.delete(place)
      place.onOverdue()
      frees = true
    }
    // What has become free is granted before anybody is refused.
    if (frees) return
    for (const place of waiting) if (place.since <= latest) this.refuse(place)
    this.admit()
  }
}

/** A single body may exceed a share. */
function isWithinShare({ bytes, flows }: Place): boolean {
  return flows.every((flow) => flow.held === 0 || flow.held + bytes <= flow.bytesMax)
}

/** What the sender would hold with this body: its virtual finish time in fair queueing. */
function loadOf({ bytes, flows }: Place): number {
  return flows.reduce((sum, flow) => sum + flow.held + bytes, 0)
}

function demandOf({ flows }: Place): number {
  return flows.reduce((sum, flow) => sum + flow.held + flow.waiting, 0)
}

function tooMany(): AclError {
  return new AclError('unavailable', 'Too many long bodies are being read: try again later', {
    headers: { 'Retry-After': '1' },
  })
}
