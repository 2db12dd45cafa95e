/** Locks of keys. A lock is advisory: writes without a session go through, and keep it. Decisions: sessions. */
import type { KvRecord } from '../records/records.ts'

/** What a request puts into a key, and by which session. */
export interface LockRequest {
  readonly Namespace: string
  readonly Key: string
  readonly Flags: bigint
  readonly Value: Uint8Array
  readonly Session: string
}

/**
 * A key once a session has locked it. LockIndex counts the sessions that locked it since it was created.
 *
 * @param existing absent: the key is created.
 * @returns undefined if another session holds the key.
 */
export function lockedKey(existing: KvRecord | undefined, request: LockRequest): KvRecord | undefined {
  const isMine = existing?.Session === request.Session
  if (!isMine && existing?.Session !== undefined) return undefined
  const { LockIndex = 0, CreateIndex = 0 } = existing ?? {}
  return { ...request, LockIndex: isMine ? LockIndex : LockIndex + 1, CreateIndex, ModifyIndex: 0 }
}

/**
 * A key once a session has released it. LockIndex stays.
 *
 * @returns undefined if the session does not hold the key.
 */
export function releasedKey(existing: KvRecord | undefined, request: LockRequest): KvRecord | undefined {
  if (existing === undefined || existing.Session !== request.Session) return undefined
  const { Session: _, ...released } = { ...existing, Flags: request.Flags, Value: request.Value }
  return { ...released, ModifyIndex: 0 }
}

/** Whether a write would change nothing. */
export function isSameKey(existing: KvRecord | undefined, { Flags, Value, Session }: KvRecord): boolean {
  return (
    existing !== undefined &&
    existing.Session === Session &&
    existing.Flags === Flags &&
    existing.Value.length === Value.length &&
    Value.every((byte, i) => byte === existing.Value[i])
  )
}
