/** Limits how often clients log in, because each login may be a write and anyone may try. Decisions: login. */
import { AclError } from '@latchkey/contract'
import { BoundedMap } from '../bounded-map.ts'
import type { RateLimits } from '../token-buckets.ts'
import { Lane } from '../turns.ts'

/** Burst size of a client: this many seconds' worth of logins. */
const BURST_SECONDS = 5
/** All clients together may log in at one method this many times as often as a single client. */
const METHOD_FACTOR = 50
/**
 * Maximum number of concurrent logins of one method that query its provider, each on its own connection, or match slow rules.
 */
const LOGINS_AT_ONCE_MAX = 16
/** Maximum number of methods whose lanes are kept. */
const LANES_MAX = 1_000

/** Rate limits by client and by method, and lanes by method, so that a slow provider delays no login at another method. */
export class LoginRates {
  private readonly perSecond: number
  private readonly lanes = new BoundedMap<string, Lane>(LANES_MAX)
  private readonly limits: RateLimits

  /** @param perSecond logins per client and second; 0 for no limit. */
  constructor(perSecond: number, limits: RateLimits) {
    this.perSecond = perSecond
    this.limits = limits
  }

  /**
   * Counts one login.
   *
   * @param client its address; undefined for a client without a limit, such as a trusted proxy.
   * @throws AclError `too_many_logins` with `Retry-After`.
   */
  async count(client: string | undefined, method: string): Promise<void> {
    if (this.perSecond === 0) return
    if (client !== undefined) await this.take(`client ${client}`, this.perSecond)
    await this.take(`method ${method}`, this.perSecond * METHOD_FACTOR)
  }

  /**
   * Runs the long part of a login when its method's lane has room.
   *
   * @param signal aborted when the client disconnects.
   * @throws AclError `unavailable` if too many wait.
   */
  run<T>(method: string, login: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const lane = this.lanes.get(method) ?? this.lanes.set(method, new Lane(LOGINS_AT_ONCE_MAX), 1)
    return lane.run(login, signal)
  }

  private async take(key: string, perSecond: number): Promise<void> {
    const { taken, waitMs } = await this.limits.take({ key, perSecond, burstSeconds: BURST_SECONDS }, 1)
    if (taken > 0) return
    throw new AclError('too_many_logins', 'Too many logins: try again later', {
      headers: { 'Retry-After': `${Math.ceil(waitMs / 1_000)}` },
    })
  }
}
