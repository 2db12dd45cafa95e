/**
 * Fields of tokens and roles from versions later than the service version. They are not shown, and an update keeps them, so
 * that a record can be sent back as read. Decisions: versions.
 */
import { absentFieldsOf, ROUTES, type ServiceProfile } from '@latchkey/contract'

const known = new WeakMap<ServiceProfile, ReadonlySet<string>>()

export function laterFieldsOf(profile: ServiceProfile): ReadonlySet<string> {
  const fields = known.get(profile) ?? absentFieldsOf(ROUTES['tokens.update'].schemas.body, profile)
  known.set(profile, fields)
  return fields
}

/** A record as this version shows it. */
export function withoutLater<T extends object>(shown: T, profile: ServiceProfile): T {
  const later = laterFieldsOf(profile)
  if (later.size === 0) return shown
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !later.has(name))) as T
}
