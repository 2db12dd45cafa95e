import { AclError } from '@latchkey/contract'
import { checkWanted, givenUp } from '../turns.ts'

/** A part of a semaphore's permits that some holders share, such as those of one client: a bulkhead. */
export interface Share {
  readonly key: string
  /**
   * Maximum permits of its holders together, given the number of free permits. A single holder may exceed it, so that it
   * never waits for itself.
   */
  readonly max: number | ((free: number) => number)
}

interface Claim {
  /** How many permits; at most all of them. Default: 1. */
  readonly permits?: number
  readonly shares?: readonly Share[]
}

interface AcquireOptions extends Claim {
  readonly signal?: AbortSignal | undefined
  readonly waitMsMax?: number
}

/** Gives permits back. A second call has no effect. */
export type Release = () => void

interface Waiter extends Required<Claim> {
  readonly grant: () => void
  readonly refuse: (error: AclError) => void
}

/** Maximum number of claims that wait for a semaphore. */
export const WAITING_MAX = 64

/**
 * Limits what runs, or is held, at a time. The next claim is that of the shares that would then hold least, and the
 * earlier one of equals; while it does not fit, no other goes before it. If too many wait, the shares that demand most
 * lose their last claim.
 */
export class Semaphore {
  private readonly permits: number
  private readonly waitingMax: number
  private free: number
  private readonly held = new Map<string, number>()
  private readonly waiting = new Set<Waiter>()

  constructor(permits: number, { waitingMax = WAITING_MAX }: { readonly waitingMax?: number } = {}) {
    this.permits = permits
    this.waitingMax = waitingMax
    this.free = permits
  }

  tryAcquire(claim: Claim = {}): Release | undefined {
    const whole = this.claimOf(claim)
    return this.waiting.size === 0 && this.fits(whole) ? this.take(whole) : undefined
  }

  /** @throws AclError `unavailable` if too many wait, after `waitMsMax`, or once the signal is aborted. */
  async acquire(options: AcquireOptions = {}): Promise<Release> {
    return this.tryAcquire(options) ?? this.wait(options)
  }

  /** Runs work while it holds permits. @throws AclError like {@link acquire}. */
  async run<T>(work: () => Promise<T>, options: AcquireOptions = {}): Promise<T> {
    const release = this.tryAcquire(options) ?? (await this.wait(options))
    try {
      return await work()
    } finally {
      release()
    }
  }

  /** Whether permits that are held with these shares keep others waiting. */
  isAwaited(shares: readonly Share[]): boolean {
    const keys = shares.map(({ key }) => key)
    return [...this.waiting].some(
      (waiter) => this.isWithinShares(waiter) || waiter.shares.some(({ key }) => keys.includes(key)),
    )
  }

  private claimOf({ permits = 1, shares = [] }: Claim): Required<Claim> {
    return { permits: Math.min(permits, this.permits), shares }
  }

  private fits(claim: Required<Claim>): boolean {
    return claim.permits <= this.free && this.isWithinShares(claim)
  }

  private isWithinShares({ permits, shares }: Required<Claim>): boolean {
    return shares.every(({ key, max }) => {
      const held = this.held.get(key) ?? 0
      return held === 0 || held + permits <= (typeof max === 'number' ? max : max(this.free))
    })
  }

  private take(claim: Required<Claim>): Release {
    this.count(claim, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.count(claim, -1)
      this.admit()
    }
  }

  private count({ permits, shares }: Required<Claim>, by: 1 | -1): void {
    this.free -= by * permits
    for (const { key } of shares) {
      const held = (this.held.get(key) ?? 0) + by * permits
      if (held === 0) this.held.delete(key)
      else this.held.set(key, held)
    }
  }

  private wait({ signal, waitMsMax, ...claim }: AcquireOptions): Promise<Release> {
    checkWanted(signal)
    return new Promise((resolve, reject) => {
      const leave = () => waiter.refuse(givenUp())
      const timer = waitMsMax && setTimeout(() => waiter.refuse(tooMany()), waitMsMax)
      const end = () => {
        this.waiting.delete(waiter)
        signal?.removeEventListener('abort', leave)
        clearTimeout(timer)
      }
      const waiter: Waiter = {
        ...this.claimOf(claim),
        grant: () => {
          end()
          resolve(this.take(waiter))
        },
        refuse: (error) => {
          end()
          reject(error)
          this.admit()
        },
      }
      signal?.addEventListener('abort', leave, { once: true })
      this.waiting.add(waiter)
      if (this.waiting.size > this.waitingMax) this.worst().refuse(tooMany())
      else this.admit()
    })
  }

  private admit(): void {
    for (let next = this.next(); next && next.permits <= this.free; next = this.next()) next.grant()
  }

  private next(): Waiter | undefined {
    let next: Waiter | undefined
    if (this.free <= 0) return next
    for (const waiter of this.waiting) {
      if (this.isWithinShares(waiter) && (!next || this.loadOf(waiter) < this.loadOf(next))) next = waiter
    }
    return next
  }

  /** What its shares would hold with this claim: its virtual finish time in fair queueing. */
  private loadOf({ permits, shares }: Waiter): number {
    return shares.reduce((sum, { key }) => sum + (this.held.get(key) ?? 0) + permits, 0)
  }

  /** The last claim of the shares that hold, and wait for, most. */
  private worst(): Waiter {
    const demands = new Map(this.held)
    for (const { permits, shares } of this.waiting) {
      for (const { key } of shares) demands.set(key, (demands.get(key) ?? 0) + permits)
    }
    const demandOf = ({ shares }: Waiter) => shares.reduce((sum, { key }) => sum + (demands.get(key) ?? 0), 0)
    return [...this.waiting].reduce((worst, each) => (demandOf(each) >= demandOf(worst) ? each : worst))
  }
}

function tooMany(): AclError {
  return new AclError('unavailable', 'Too many requests are waiting: try again later', {
    headers: { 'Retry-After': '1' },
  })
}
