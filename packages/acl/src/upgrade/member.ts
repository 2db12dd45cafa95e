/**
 * The servers in the upgrade: one row per server process, written by its own heartbeat and read by all. Spec 9.2.2;
 * which servers the upgrade waits for: decisions, upgrade.
 */

/**
 * What a server advertises about its ACL system. `unknown`: it runs a version before 1.4.0, which advertises nothing;
 * `disabled`: its ACLs are off; `legacy`: it supports the new ACLs and is in legacy mode; `enabled`: it has left legacy
 * mode.
 */
export type MemberMode = 'disabled' | 'unknown' | 'legacy' | 'enabled'

export interface Member {
  readonly id: string
  readonly datacenter: string
  /** The name that operators see. A process replaces an earlier, ended process with the same name. */
  readonly node: string
  readonly version: string
  readonly mode: MemberMode
  /** Last heartbeat: milliseconds since the epoch, by the clock that all servers share. */
  readonly heartbeatAt: number
  /**
   * `stopped`: its process ended and may soon return, in this version or another; until then the upgrade waits for it.
   */
  readonly status: 'alive' | 'failed' | 'stopped' | 'left'
}

/** The row of a member. Instants as in {@link Member.heartbeatAt}. */
export interface MemberRow extends Omit<Member, 'status'> {
  readonly startedAt: number
  /** When its process stopped, if it announced its stop. A server that leaves permanently has no row. */
  readonly stoppedAt: number | undefined
}

/** Interval at which a server renews its row. */
export const MEMBER_HEARTBEAT_MS = 1_000
/**
 * A server without a heartbeat for longer than this is failed. The upgrade still waits for it, because it may return.
 */
export const MEMBER_FAILED_AFTER_MS = 5_000
/**
 * A leader without a heartbeat for longer than this, for example because its process is paused, loses its leadership.
 */
export const LEADER_SILENT_MS_MAX = 10_000
/**
 * How long the upgrade waits for a stopped server, which is long enough to replace it. After that, the server has left.
 */
export const MEMBER_STOPPED_COUNTS_MS = 300_000
/** A member that left is removed after a day, a failed member after three days. */
export const MEMBER_FORGOTTEN_AFTER_MS = { left: 86_400_000, failed: 259_200_000 } as const
/** How long an observer must have sent heartbeats without a gap before it removes other members. */
export const OBSERVER_GRACE_MS = 30_000

/** Whether the end of legacy mode waits for this member. */
export function isCounted(member: Member): boolean {
  return member.status !== 'left'
}

/** How an operator ends the wait for a server that is gone, as an addition to a reason; empty while it is alive. */
export function wayOut({ node, status }: Pick<Member, 'node' | 'status'>): string {
  if (status !== 'failed' && status !== 'stopped') return ''
  return ` (PUT /v1/agent/force-leave/${encodeURIComponent(node)} if it will not return)`
}

export function observeMembers<M extends MemberRow>(
  rows: readonly M[],
  now: number,
): readonly (M & Pick<Member, 'status'>)[] {
  return rows.map((row) => ({ ...row, status: statusOf(row, rows, now) }))
}

function statusOf(row: MemberRow, rows: readonly MemberRow[], now: number): Member['status'] {
  const { stoppedAt, heartbeatAt } = row
  const isSilent = now - heartbeatAt > MEMBER_FAILED_AFTER_MS
  if (stoppedAt === undefined && !isSilent) return 'alive'
  if (rows.some((other) => isSuccessor(other, row))) return 'left'
  if (stoppedAt === undefined) return 'failed'
  return now - stoppedAt > MEMBER_STOPPED_COUNTS_MS ? 'left' : 'stopped'
}

/** Whether a process started with the name of another process after that process had ended. */
function isSuccessor(other: MemberRow, { datacenter, node, stoppedAt, heartbeatAt }: MemberRow): boolean {
  return (
    other.datacenter === datacenter && other.node === node && other.startedAt > (stoppedAt ?? heartbeatAt)
  )
}

/**
 * Whether the row may be removed: a failed server that never returns must not block the upgrade forever.
 * @param observedSince since when the observer itself has sent heartbeats without a gap. Within {@link
 * OBSERVER_GRACE_MS}, it removes no member: after a database outage, the others have not had time for a
 * heartbeat.
 */
export function isForgotten(
  member: Member,
  { now, observedSince }: { readonly now: number; readonly observedSince: number },
): boolean {
  if (member.status === 'alive' || member.status === 'stopped' || now - observedSince < OBSERVER_GRACE_MS)
    return false
  return now - member.heartbeatAt > MEMBER_FORGOTTEN_AFTER_MS[member.status]
}
