/** Limits how often clients log in, because each login may be a write and anyone may try. Decisions: login. */
import { AclError } from '@latchkey/contract'
import { BoundedMap } from '../bounded-map.ts'
import { Semaphore } from '../limits/semaphore.ts'
import type { RateLimits } from '../limits/token-buckets.ts'

/** Burst size of a client: this many seconds' worth of logins. */
const BURST_SECONDS = 5
/** All clients together may log in at one method this many times as often as a single client. */
const METHOD_FACTOR = 50
/**
 * Maximum number of concurrent logins of one method that query its provider, each on its own connection, or match slow rules.
 */
const LOGINS_AT_ONCE_MAX = 16
const METHODS_MAX = 1_000

export class LoginLimits {
  private readonly perSecond: number
  private readonly rates: RateLimits
  private readonly semaphores = new BoundedMap<string, Semaphore>(METHODS_MAX)

  /** @param perSecond logins per client and second; 0 for no limit. */
  constructor(perSecond: number, rates: RateLimits) {
    this.perSecond = perSecond
    this.rates = rates
  }

  /**
   * @param client its address; undefined for a client without a limit, such as a trusted proxy.
   * @throws AclError `too_many_logins` with `Retry-After`.
   */
  async count(client: string | undefined, method: string): Promise<void> {
    if (this.perSecond === 0) return
    if (client !== undefined) await this.take(`client ${client}`, this.perSecond)
    await this.take(`method ${method}`, this.perSecond * METHOD_FACTOR)
  }

  /** Limits the long part of logins by method, so that a slow provider delays no login at another method. */
  methodSemaphore(method: string): Semaphore {
    return this.semaphores.get(method) ?? this.semaphores.set(method, new Semaphore(LOGINS_AT_ONCE_MAX), 1)
  }

  private async take(key: string, perSecond: number): Promise<void> {
    const { taken, waitMs } = await this.rates.take({ key, perSecond, burstSeconds: BURST_SECONDS }, 1)
    if (taken > 0) return
    const headers = { 'Retry-After': `${Math.ceil(waitMs / 1_000)}` }
    throw new AclError('too_many_logins', 'Too many logins: try again later', { headers })
  }
}
