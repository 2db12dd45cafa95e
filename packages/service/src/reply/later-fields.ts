/**
 * Fields of tokens and roles from versions later than the service version. They are not shown, and an update keeps them, so
 * that a record can be sent back as read. Decisions: versions.
 */
import { absentFieldsOf, ROUTES, type ServiceProfile } from '@latchkey/contract'

export function laterFieldsOf(profile: ServiceProfile): ReadonlySet<string> {
  return absentFieldsOf(ROUTES['tokens.update'].schemas.body, profile)
}

/** A record as a version shows it that lacks the {@link laterFieldsOf}. */
export function withoutLater<T extends object>(shown: T, later: ReadonlySet<string>): T {
  if (later.size === 0) return shown
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !later.has(name))) as T
}
