import { idleHorizon, type KvRecord, type LoginState } from '@latchkey/acl'
import { lockDelayMs, type SessionRecord, sessionLifetimeMs } from '@latchkey/catalog'
import type { Change, LoginStates, SessionTimes, TokenUse, TokenUses } from '../store.ts'

/** Kept apart from the tables: a snapshot does not contain unfinished logins. */
export class MemoryLoginStates implements LoginStates {
  private readonly states = new Map<string, LoginState>()

  async put(
    state: LoginState,
    { openMax, now }: { readonly openMax: number; readonly now: number },
  ): Promise<boolean> {
    let open = 0
    for (const { generation, expiresAt } of this.states.values()) {
      if (generation === state.generation && expiresAt > now) open += 1
    }
    if (open >= openMax) return false
    this.states.set(state.stateHash, state)
    return true
  }

  async take(stateHash: string): Promise<LoginState | undefined> {
    const state = this.states.get(stateHash)
    this.states.delete(stateHash)
    return state
  }

  async reap(now: number): Promise<number> {
    const before = this.states.size
    for (const { stateHash, expiresAt } of this.states.values()) {
      if (expiresAt <= now) this.states.delete(stateHash)
    }
    return before - this.states.size
  }
}

/** Kept apart from the tables: a use is not a commit. */
export class MemoryTokenUses implements TokenUses {
  /** In milliseconds since the epoch, by lower-case accessor. */
  private readonly lastUses = new Map<string, number>()

  noteKnown({ accessorId, limit, now, until }: TokenUse): boolean {
    const key = accessorId.toLowerCase()
    const last = Math.max(this.lastUses.get(key) ?? 0, limit.since)
    if (last <= idleHorizon(limit, now)) return false
    this.lastUses.set(key, Math.max(last, until))
    return true
  }

  async use(use: TokenUse): Promise<boolean> {
    return this.noteKnown(use)
  }

  lastUse(accessorId: string): number | undefined {
    return this.lastUses.get(accessorId.toLowerCase())
  }

  forget(accessorId: string): void {
    this.lastUses.delete(accessorId.toLowerCase())
  }
}

type KvChange = Extract<Change, { readonly table: 'kv'; readonly op: 'put' | 'delete' }>

/** The times of sessions and lock delays, in milliseconds of one clock. */
export class MemorySessionTimes implements SessionTimes {
  private readonly now: () => number
  private readonly sessions = new Map<
    string,
    { readonly record: SessionRecord; readonly renewedAt: number }
  >()
  /** When lock delays end, by namespace and key. */
  private readonly delays = new Map<string, number>()

  constructor(now: () => number) {
    this.now = now
  }

  async renew(id: string): Promise<boolean> {
    const session = this.sessions.get(id)
    if (session) this.begin(session.record)
    return session !== undefined
  }

  async expired(limit: number): Promise<readonly string[]> {
    return this.expiredNow().slice(0, limit)
  }

  /** {@link MemorySessionTimes.expired}, synchronously and unbounded. */
  expiredNow(): readonly string[] {
    return [...this.sessions.keys()].filter((id) => this.isExpired(id))
  }

  /** How long until the next session expires, in milliseconds; infinite if none does. */
  untilExpiry(): number {
    let leftMs = Number.POSITIVE_INFINITY
    for (const { record, renewedAt } of this.sessions.values()) {
      const lifetimeMs = sessionLifetimeMs(record) ?? Number.POSITIVE_INFINITY
      leftMs = Math.min(leftMs, renewedAt + lifetimeMs - this.now())
    }
    return Math.max(0, leftMs)
  }

  async isDelayed(namespace: string, key: string): Promise<boolean> {
    return this.isDelayedNow(namespace, key)
  }

  isDelayedNow(namespace: string, key: string): boolean {
    const place = `${namespace}/${key}`
    const until = this.delays.get(place)
    if (until === undefined || until > this.now()) return until !== undefined
    this.delays.delete(place)
    return false
  }

  isExpired(id: string): boolean {
    const session = this.sessions.get(id)
    const lifetimeMs = session && sessionLifetimeMs(session.record)
    return lifetimeMs !== undefined && session !== undefined && session.renewedAt + lifetimeMs <= this.now()
  }

  begin(record: SessionRecord): void {
    this.sessions.set(record.ID, { record, renewedAt: this.now() })
  }

  /** Ends a session. @returns the changes to the keys that it holds. */
  end(session: SessionRecord, held: readonly KvRecord[]): readonly KvChange[] {
    this.sessions.delete(session.ID)
    const delayMs = lockDelayMs(session)
    return held.map(({ Session: _, ...record }) => {
      if (delayMs > 0) this.delays.set(`${record.Namespace}/${record.Key}`, this.now() + delayMs)
      const op = session.Behavior === 'delete' ? 'delete' : 'put'
      return { table: 'kv', op, record, expect: record.ModifyIndex }
    })
  }

  /** Drops everything except the given sessions, whose lifetimes restart. */
  restart(sessions: Iterable<SessionRecord>): void {
    this.sessions.clear()
    this.delays.clear()
    for (const session of sessions) this.begin(session)
  }
}
