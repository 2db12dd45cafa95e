/** Limits how often clients log in, because each login may be a write and anyone may try. Decisions: login. */
import { Lane } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { BoundedMap } from '../bounded-map.ts'

/** A client may use this many seconds' worth of logins at once. */
const BURST_SECONDS = 5
/** All clients together may log in at one method this many times as often as one client. */
const METHOD_FACTOR = 50
/** Maximum number of clients and methods that are tracked. Others start with a full bucket. */
const BUCKETS_MAX = 20_000
/** Maximum number of concurrent logins of one method that ask its provider, and may each hold a connection, or match slow rules. */
const LOGINS_AT_ONCE_MAX = 16
/** Maximum number of methods whose lanes are kept. */
const LANES_MAX = 1_000

interface Bucket {
  tokens: number
  /** When it was last filled, in milliseconds. */
  filledAt: number
}

/** Token buckets by client and by method, and lanes by method: a slow provider delays no login at another method. */
export class LoginRates {
  private readonly perSecond: number
  private readonly lanes = new BoundedMap<string, Lane>(LANES_MAX)
  private readonly buckets = new BoundedMap<string, Bucket>(BUCKETS_MAX)

  /** @param perSecond logins of one client per second; 0 for no limit. */
  constructor(perSecond: number) {
    this.perSecond = perSecond
  }

  /**
   * Counts one login.
   *
   * @param client its address; undefined for a client without a limit, such as a trusted proxy.
   * @throws AclError `too_many_logins` with `Retry-After`.
   */
  count(client: string | undefined, method: string, now: number): void {
    if (this.perSecond === 0) return
    if (client !== undefined) this.take(`client ${client}`, this.perSecond, now)
    this.take(`method ${method}`, this.perSecond * METHOD_FACTOR, now)
  }

  /**
   * Runs the long part of a login when its method's lane has room.
   *
   * @param signal aborted when the client has gone.
   * @throws AclError `unavailable` if too many wait.
   */
  run<T>(method: string, login: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const lane = this.lanes.get(method) ?? this.lanes.set(method, new Lane(LOGINS_AT_ONCE_MAX), 1)
    return lane.run(login, signal)
  }

  private take(key: string, perSecond: number, now: number): void {
    const most = perSecond * BURST_SECONDS
    const bucket = this.buckets.get(key) ?? this.buckets.set(key, { tokens: most, filledAt: now }, 1)
    const passed = Math.max(now - bucket.filledAt, 0)
    bucket.tokens = Math.min(bucket.tokens + (passed / 1_000) * perSecond, most)
    bucket.filledAt = now
    if (bucket.tokens < 1) {
      const seconds = Math.ceil((1 - bucket.tokens) / perSecond)
      throw new AclError('too_many_logins', 'Too many logins: try again later', {
        headers: { 'Retry-After': `${seconds}` },
      })
    }
    bucket.tokens -= 1
  }
}
