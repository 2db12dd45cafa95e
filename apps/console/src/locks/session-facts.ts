/** Facts about a session, formatted for people. */
import { lockDelayMs, sessionLifetimeMs } from '@latchkey/acl'
import type { LockSession } from '@latchkey/sdk'
import { durationText } from '../live/durations.ts'
import { texts } from '../texts.ts'

const NANOSECONDS_PER_MS = 1_000_000

export function nameOf({ Name, ID }: LockSession): string {
  return Name === '' ? ID : Name
}

/** Its TTL, as given. */
export function ttlOf(session: LockSession): string {
  return sessionLifetimeMs(session) === undefined ? texts.common.none : session.TTL
}

/** When it ends unless it is renewed. */
export function lifetimeOf(session: LockSession): string {
  const lifetimeMs = sessionLifetimeMs(session)
  return lifetimeMs === undefined ? texts.locks.forever : texts.locks.expires(durationText(lifetimeMs))
}

/** How long its keys stay locked after it has ended. */
export function lockDelayOf(session: LockSession): string {
  return delayText(lockDelayMs(session))
}

/** Like {@link lockDelayOf}, but shows both values if the service shortens the given one. */
export function givenLockDelayOf(session: LockSession): string {
  const given = delayText(session.LockDelay / NANOSECONDS_PER_MS)
  const acts = lockDelayOf(session)
  return given === acts ? acts : texts.locks.capped(given, acts)
}

function delayText(ms: number): string {
  if (ms === 0) return texts.common.none
  return ms < 1_000 ? `${ms} ms` : durationText(ms)
}

/** Ids of the checks that end it, each once. */
export function checksOf({ NodeChecks = [], Checks = [], ServiceChecks }: LockSession): readonly string[] {
  return [...new Set([...NodeChecks, ...Checks, ...(ServiceChecks ?? []).map(({ ID }) => ID)])]
}

/** The URL at which the page of keys and values shows a key, with its folder open. */
export function placeOf(key: string): { readonly in?: string; readonly key: string } {
  const folder = key.slice(0, key.lastIndexOf('/') + 1)
  return folder === '' ? { key } : { in: folder, key }
}
