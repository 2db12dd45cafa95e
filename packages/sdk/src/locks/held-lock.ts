/** A held lock, and the detection of its loss. */

import { sleep } from '../contract.ts'
import { NotFound } from '../errors.ts'
import type { Sessions } from '../generated/sessions.ts'
import type { WithMeta } from '../meta.ts'
import { type Kv, valueBytes } from '../resources/kv.ts'
import type { KVEntry } from '../types.ts'

/** Why a lock was lost: the reason of its signal. */
export class LockLost extends Error {
  override readonly name = 'LockLost'
}

/** Pause before a failed renewal is retried, in milliseconds. */
const RENEWAL_RETRY_MS = 1_000

/**
 * Renews a session at half its TTL, until stopped. The deadline is measured from before the renewal was sent, on a
 * monotonic clock, and is therefore never later than the end of the session at the service.
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
      // If the first renewal hits a dead connection, leave time for a second one.
      const limitMs = failure === undefined ? untilEndMs / 3 : untilEndMs
      failure = await this.#renew(limitMs)
      if (failure === undefined) renewedAt = sentAt
    }
  }

  /** @returns the error that prevented the renewal, if any. @throws LockLost if the session has ended. */
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
 * A lock on a key. It ends with {@link Lock.release}, with `await using`, or when it is lost, which aborts
 * {@link Lock.signal}.
 *
 * Another client may acquire the lock before this one notices the loss. Send {@link Lock.index} as a fencing token to
 * the protected resource, and let the resource reject an index lower than the highest it has seen.
 */
export class Lock implements AsyncDisposable {
  readonly key: string
  /** LockIndex of the key: a fencing token that grows with every new holder unless the key is deleted. */
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

  /**
   * Aborted with a {@link LockLost} when the lock is lost: stop the protected work. {@link Lock.release} does not abort
   * it.
   */
  get signal(): AbortSignal {
    return this.#keeper.signal
  }

  /**
   * Releases the key without changing its value, and ends the session.
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

  /** Releases the key with its value before the session ends, which avoids a lock delay. */
  async #free(): Promise<boolean> {
    const entry = await this.#kv.get(this.key).catch(asAbsent)
    if (entry?.Session !== this.session) return false
    const content = { value: valueBytes(entry), flags: entry.Flags }
    return (await this.#kv.release(this.key, this.session, content)) && !this.signal.aborted
  }

  /** Detects a loss that renewals do not show, such as the deletion of the key. */
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
