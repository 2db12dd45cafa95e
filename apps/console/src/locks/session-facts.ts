import { lockDelayMs, sessionLifetimeMs } from '@latchkey/catalog'
import type { LockSession } from '@latchkey/sdk'
import { durationText } from '../live/instants.ts'

const NANOSECONDS_PER_MS = 1_000_000

export const BEHAVIOR_NAMES = { release: 'Releases its keys', delete: 'Deletes its keys' }

export function nameOf({ Name, ID }: LockSession): string {
  return Name === '' ? ID : Name
}

export function ttlOf(session: LockSession): string {
  return sessionLifetimeMs(session) === undefined ? 'None' : session.TTL
}

export function lifetimeOf(session: LockSession): string {
  const lifetimeMs = sessionLifetimeMs(session)
  return lifetimeMs === undefined
    ? 'Does not expire'
    : `Ends about ${durationText(lifetimeMs)} after the last renewal`
}

export function lockDelayOf(session: LockSession): string {
  return delayText(lockDelayMs(session))
}

/** Like {@link lockDelayOf}, but shows both values if the service shortens the given one. */
export function givenLockDelayOf(session: LockSession): string {
  const given = delayText(session.LockDelay / NANOSECONDS_PER_MS)
  const acts = lockDelayOf(session)
  return given === acts ? acts : `${given}, which acts as ${acts}`
}

function delayText(ms: number): string {
  if (ms === 0) return 'None'
  return ms < 1_000 ? `${ms} ms` : durationText(ms)
}

export function checksOf({ NodeChecks = [], Checks = [], ServiceChecks }: LockSession): readonly string[] {
  return [...new Set([...NodeChecks, ...Checks, ...(ServiceChecks ?? []).map(({ ID }) => ID)])]
}

/** The URL at which the page of keys and values shows a key, with its folder open. */
export function placeOf(key: string): { readonly in?: string; readonly key: string } {
  const folder = key.slice(0, key.lastIndexOf('/') + 1)
  return folder === '' ? { key } : { in: folder, key }
}
