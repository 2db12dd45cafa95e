/**
 * Locks on keys. A lock is advisory: writes without a session succeed and do not change the lock. Decisions: sessions.
 */
import type { KvRecord } from '@latchkey/acl'

/** The content that a request writes to a key, and its session. */
export interface LockRequest {
  readonly Namespace: string
  readonly Key: string
  readonly Flags: bigint
  readonly Value: Uint8Array
  readonly Session: string
}

/**
 * The record of a key after a session has locked it. LockIndex counts the locks since the key was created.
 *
 * @param existing if absent, the key is created.
 * @returns undefined if another session holds the key.
 */
export function lockedKey(existing: KvRecord | undefined, request: LockRequest): KvRecord | undefined {
  const isMine = existing?.Session === request.Session
  if (!isMine && existing?.Session !== undefined) return undefined
  const { LockIndex = 0, CreateIndex = 0 } = existing ?? {}
  return { ...request, LockIndex: isMine ? LockIndex : LockIndex + 1, CreateIndex, ModifyIndex: 0 }
}

/**
 * The record of a key after a session has released it. LockIndex does not change.
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
