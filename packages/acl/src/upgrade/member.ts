/**
 * Servers as the upgrade sees them: one row per server process, written by the process itself (its heartbeat) and read
 * by all. Spec 9.2.2; which servers count: decisions, upgrade.
 */

/**
 * What a server says of its ACL system. `unknown`: it runs a version before 1.4.0, which cannot say; `disabled`: its
 * ACLs are switched off; `legacy`: it supports the new ACLs and is in legacy mode; `enabled`: it has left it.
 */
export type MemberMode = 'disabled' | 'unknown' | 'legacy' | 'enabled'

export interface Member {
  readonly id: string
  readonly datacenter: string
  /** The name operators know it by. */
  readonly node: string
  readonly version: string
  readonly mode: MemberMode
  /** When it last said that it lives: milliseconds since the epoch, by the clock that all servers share. */
  readonly heartbeatAt: number
  readonly status: 'alive' | 'failed' | 'left'
}

/** How often a server renews its row. */
export const MEMBER_HEARTBEAT_MS = 1_000
/** A server that was silent for longer is failed. It still counts: it may come back as it was. */
export const MEMBER_FAILED_AFTER_MS = 5_000
/** A member that left is forgotten after a day, a failed one after three. */
export const MEMBER_FORGOTTEN_AFTER_MS = { left: 86_400_000, failed: 259_200_000 } as const
/** How long an observer must have beaten without a gap before it forgets others. */
export const OBSERVER_GRACE_MS = 30_000

/** Whether the end of legacy mode has to wait for this member: alive and failed ones count, those that left do not. */
export function isCounted(member: Member): boolean {
  return member.status !== 'left'
}

/** The member with the status that its silence gives it at `now`. Who left stays so until it starts again. */
export function withObservedStatus(member: Member, now: number): Member {
  if (member.status === 'left') return member
  const status = now - member.heartbeatAt > MEMBER_FAILED_AFTER_MS ? 'failed' : 'alive'
  return status === member.status ? member : { ...member, status }
}

/**
 * Whether the row may be removed: a failed server that is gone for good must not hold the upgrade for ever.
 *
 * @param observedSince since when the observer itself beats without a gap. Before {@link OBSERVER_GRACE_MS} it forgets
 * no one: after an outage of all, or of the database, the others look silent only because they have not beaten again yet.
 */
export function isForgotten(
  member: Member,
  { now, observedSince }: { readonly now: number; readonly observedSince: number },
): boolean {
  if (member.status === 'alive' || now - observedSince < OBSERVER_GRACE_MS) return false
  return now - member.heartbeatAt > MEMBER_FORGOTTEN_AFTER_MS[member.status]
}
