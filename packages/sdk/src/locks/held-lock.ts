/** A lock that is held, and what tells that it no longer is. */
import { NotFound } from '../errors.ts'
import type { WithMeta } from '../meta.ts'
import { type Kv, valueBytes } from '../resources/kv.ts'
import type { Sessions } from '../resources/sessions.ts'
import { sleep } from '../time.ts'
import type { KVEntry } from '../types.ts'

/** Why a lock was lost: the reason of its signal. */
export class LockLost extends Error {
  override readonly name = 'LockLost'
}

/** Pause before a failed renewal is repeated, in milliseconds. */
const RENEWAL_RETRY_MS = 1_000

/**
 * Renews a session at half its TTL, until it is stopped. The deadline counts from before a renewal is sent, on a clock that never
 * steps, so it is never later than the end of the session at the service.
 */
export class SessionKeeper {
  readonly id: string
  readonly #sessions: Sessions<'value'>
  readonly #ttlMs: number
  readonly #attemptMs: number
  readonly #stopping = new AbortController()
  readonly #ending = new AbortController()

  constructor(
    sessions: Sessions<'value'>,
    session: {
      readonly id: string
      readonly ttlMs: number
      readonly createdAt: number
      /** Maximum time of one renewal. */
      readonly attemptMs: number
    },
  ) {
    this.#sessions = sessions
    this.id = session.id
    this.#ttlMs = session.ttlMs
    this.#attemptMs = session.attemptMs
    this.#keep(session.createdAt).catch((error: unknown) => this.lose(error))
  }

  /** Aborted once the session may have ended. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  lose(reason: unknown): void {
    this.#stopping.abort()
    this.#ending.abort(reason)
  }

  /** Stops the renewals. */
  stop(): void {
    this.#stopping.abort()
  }

  async #keep(createdAt: number): Promise<void> {
    let renewedAt = createdAt
    let failure: unknown
    while (!this.#stopping.signal.aborted) {
      const leftMs = renewedAt + this.#ttlMs - performance.now()
      if (leftMs <= 0) {
        throw new LockLost('The session could not be renewed within its TTL', { cause: failure })
      }
      const pauseMs = failure === undefined ? leftMs - this.#ttlMs / 2 : RENEWAL_RETRY_MS
      await sleep(Math.max(0, Math.min(pauseMs, leftMs)), this.#stopping.signal).catch(() => {})
      if (this.#stopping.signal.aborted) return
      const sentAt = performance.now()
      const untilEndMs = renewedAt + this.#ttlMs - sentAt
      if (untilEndMs <= 0) continue
      // A first one whose connection is dead must leave time for another.
      const limitMs = failure === undefined ? untilEndMs / 3 : untilEndMs
      failure = await this.#renew(limitMs)
      if (failure === undefined) renewedAt = sentAt
    }
  }

  /** @returns why it was not renewed; undefined if it was. @throws LockLost if it has ended. */
  async #renew(limitMs: number): Promise<unknown> {
    try {
      const times = { timeout: limitMs, attemptTimeout: Math.min(limitMs, this.#attemptMs) }
      await this.#sessions.renew(this.id, { ...times, signal: this.#stopping.signal })
      return undefined
    } catch (error) {
      if (error instanceof NotFound) throw new LockLost('The session has ended', { cause: error })
      return error
    }
  }
}

/**
 * A lock of a key. It ends with {@link Lock.release}, with `await using`, or when it is lost, which {@link Lock.signal} tells.
 *
 * Another client may hold the lock before this one has noticed its loss: send {@link Lock.index} along with what the lock guards, and
 * let that refuse a lower one than it has seen.
 */
export class Lock implements AsyncDisposable {
  readonly key: string
  /** LockIndex of the key: a fencing token, which grows with every holder as long as the key is not deleted. */
  readonly index: number
  readonly #kv: Kv<'value'>
  readonly #sessions: Sessions<'value'>
  readonly #keeper: SessionKeeper
  readonly #watching = new AbortController()
  #isReleased = false

  constructor(
    { kv, sessions }: { readonly kv: Kv<'value'>; readonly sessions: Sessions<'value'> },
    keeper: SessionKeeper,
    entry: WithMeta<KVEntry>,
  ) {
    this.#kv = kv
    this.#sessions = sessions
    this.#keeper = keeper
    this.key = entry.value.Key
    this.index = entry.value.LockIndex
    void this.#watch(entry.index)
  }

  /** ID of the session that holds the lock. */
  get session(): string {
    return this.#keeper.id
  }

  /** Aborted once the lock is lost, with a {@link LockLost}: stop what it guards. Not aborted by {@link Lock.release}. */
  get signal(): AbortSignal {
    return this.#keeper.signal
  }

  /**
   * Releases the key, which keeps its value, and ends the session.
   *
   * @returns whether the lock was held until now.
   */
  async release(): Promise<boolean> {
    if (this.#isReleased) return false
    this.#isReleased = true
    this.#watching.abort()
    this.#keeper.stop()
    try {
      return await this.#free()
    } finally {
      await this.#sessions.destroy(this.session)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  /** Releases the key with its value, before its session ends: so no lock delay keeps it. */
  async #free(): Promise<boolean> {
    const entry = await this.#kv.get(this.key).catch(asAbsent)
    if (entry?.Session !== this.session) return false
    const content = { value: valueBytes(entry), flags: entry.Flags }
    return (await this.#kv.release(this.key, this.session, content)) && !this.signal.aborted
  }

  /** A key may be deleted, and its session destroyed, while renewals are answered. */
  async #watch(index: number | undefined): Promise<void> {
    try {
      for await (const { value } of this.#kv.watch(this.key, { index, signal: this.#watching.signal })) {
        if (value?.Session === this.session) continue
        this.#keeper.lose(new LockLost('The key is no longer locked by this session'))
        return
      }
    } catch (error) {
      if (!this.#watching.signal.aborted)
        this.#keeper.lose(new LockLost('The lock cannot be watched', { cause: error }))
    }
  }
}

function asAbsent(error: unknown): undefined {
  if (!(error instanceof NotFound)) throw error
  return undefined
}
