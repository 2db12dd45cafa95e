/** Locks on keys, and leader election. Spec 9.3, 9.4; decisions: sessions. */

import { refuseUnknownNames, sleep } from '../contract.ts'
import { Invalid, LatchkeyError, Timeout, Unavailable } from '../errors.ts'
import { Sessions } from '../generated/sessions.ts'
import type { WithMeta } from '../meta.ts'
import type { NamesOf, Settings } from '../options.ts'
import { Kv } from '../resources/kv.ts'
import type { LockWriteOptions } from '../resources/selections.ts'
import { retryDelay } from '../time.ts'
import type { KVEntry, LockSessionCreate } from '../types.ts'
import { Lock, LockLost, SessionKeeper } from './held-lock.ts'

export interface LockOptions extends Pick<LockWriteOptions, 'value' | 'flags' | 'namespace'> {
  /** Aborts the wait for the lock, which rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined
  /**
   * How long the lock may outlive this process, in milliseconds: at least 10,000, default 15,000. It is renewed at half
   * this time.
   */
  readonly ttl?: number | undefined
  /**
   * How long no other client can acquire the lock after it was lost, in milliseconds. Default 15,000; at most 60,000.
   */
  readonly lockDelay?: number | undefined
  /** Other fields of the session: name, node, checks, behaviour. */
  readonly session?: Omit<LockSessionCreate, 'TTL' | 'LockDelay'> | undefined
}

const LOCK_NAMES: NamesOf<LockOptions> = {
  value: true,
  flags: true,
  namespace: true,
  signal: true,
  ttl: true,
  lockDelay: true,
  session: true,
}

const TTL_MS = 15_000
const LOCK_DELAY_MS = 15_000
/** Polling interval during a lock delay, in milliseconds: a blocking query does not notice the end of a lock delay. */
const DELAYED_PAUSE_MS = 1_000

/** Locks keys. A lock is advisory: it prevents other clients from locking the key, not from writing it. */
export class Locks {
  readonly #settings: Settings

  constructor(settings: Settings) {
    this.#settings = settings
  }

  /**
   * Waits until a key is free, and locks it. Requires `key:write` on the key and `session:write` on the node of the
   * session, by default the server's node. Rejects with {@link LockLost} if its session ends first.
   *
   * @example
   * await using lock = await client.locks.acquire('jobs/reindex')
   * await reindex({ signal: lock.signal, fence: lock.index })
   */
  async acquire(key: string, options: LockOptions = {}): Promise<Lock> {
    const lock = await this.#lock(key, options, true)
    if (lock) return lock
    throw new LockLost('The session ended before the key was free')
  }

  /** Locks a key if it is free now. @returns undefined if another session holds the key, or during a lock delay. */
  tryAcquire(key: string, options: LockOptions = {}): Promise<Lock | undefined> {
    return this.#lock(key, options, false)
  }

  /**
   * Takes part in a leader election: while this client holds the key, it runs `work`; when it loses the key or `work`
   * ends, it becomes a candidate again. It waits while a check of its session is critical.
   *
   * @param work must end soon after its signal is aborted, because another leader may be elected.
   * @param options.signal ends the candidacy; without it, this never resolves.
   * @throws what `work` throws, unless the lock was lost.
   */
  async lead(key: string, work: (lock: Lock) => Promise<void>, options: LockOptions = {}): Promise<void> {
    const { signal } = options
    for (let failures = 0; !signal?.aborted; ) {
      const lock = await this.acquire(key, options).catch((error: unknown) => {
        if (signal?.aborted || isPassing(error) || isUnwell(error)) return undefined
        throw error
      })
      if (!lock) {
        failures += 1
        await sleep(retryDelay(failures), signal).catch(() => {})
        continue
      }
      failures = 0
      try {
        await work(lock)
      } catch (error) {
        if (!lock.signal.aborted) throw error
      } finally {
        await lock.release().catch(() => false)
      }
    }
  }

  async #lock(key: string, options: LockOptions, waits: boolean): Promise<Lock | undefined> {
    refuseUnknownNames('option', options, Object.keys(LOCK_NAMES))
    const { ttl = TTL_MS, lockDelay = LOCK_DELAY_MS, session = {}, signal, namespace } = options
    const settings = namespace === undefined ? this.#settings : { ...this.#settings, namespace }
    const core = { settings, shape: <T>({ value }: WithMeta<T>): T => value }
    const parts = { kv: new Kv<'value'>(core), sessions: new Sessions<'value'>(core) }
    const createdAt = performance.now()
    const times = { TTL: `${ttl}ms`, LockDelay: `${lockDelay}ms` }
    const { ID: id } = await parts.sessions.create({ Name: key, ...session, ...times }, { signal })
    const keeper = new SessionKeeper(parts.sessions, {
      id,
      ttlMs: ttl,
      createdAt,
      attemptMs: settings.attemptTimeout,
    })
    try {
      const ending = signal ? AbortSignal.any([signal, keeper.signal]) : keeper.signal
      const entry = await waitForKey(parts.kv, { key, session: id, waits, signal: ending, content: options })
      if (entry) return new Lock(parts, keeper, entry)
    } catch (error) {
      await abandon(parts.sessions, keeper)
      throw error
    }
    await abandon(parts.sessions, keeper)
    return undefined
  }
}

interface Wanted {
  readonly key: string
  readonly session: string
  readonly waits: boolean
  readonly signal: AbortSignal
  readonly content: Pick<LockWriteOptions, 'value' | 'flags'>
}

/** @returns the key once the session holds it; undefined if the key is not free and the call must not wait. */
async function waitForKey(
  kv: Kv<'value'>,
  { key, session, waits, signal, content: { value, flags } }: Wanted,
): Promise<WithMeta<KVEntry> | undefined> {
  for (let failures = 0; ; ) {
    try {
      await kv.acquire(key, session, { value, flags, signal })
    } catch (error) {
      if (signal.aborted) throw signal.reason
      // The service may have ended the session before a renewal notices.
      if (error instanceof Invalid && error.code === 'session_unknown')
        throw new LockLost('The session ended before the key was free', { cause: error })
      // The key shows whether it was locked.
      if (!isPassing(error)) throw error
      failures += 1
      await sleep(retryDelay(failures), signal)
    }
    for await (const entry of kv.watch(key, { signal })) {
      const holder = entry.value?.Session
      if (entry.value && holder === session) return { ...entry, value: entry.value }
      if (!waits) return undefined
      if (holder !== undefined) continue
      break
    }
    await sleep(DELAYED_PAUSE_MS * Math.random(), signal)
  }
}

/** Whether another attempt may succeed. */
function isPassing(error: unknown): boolean {
  return error instanceof Unavailable || error instanceof Timeout || error instanceof LockLost
}

/** Whether the candidate is unhealthy: a session cannot depend on a critical check. */
function isUnwell(error: unknown): boolean {
  return error instanceof Invalid && error.code === 'check_critical'
}

/** Tries to end a session that holds no lock, or whose wait was aborted. If that fails, its TTL ends it. */
async function abandon(sessions: Sessions<'value'>, keeper: SessionKeeper): Promise<void> {
  keeper.stop()
  await sessions.destroy(keeper.id).catch((error: unknown) => {
    if (!(error instanceof LatchkeyError)) throw error
  })
}
