/**
 * Legacy mode ends once per datacenter. Spec 9.2.1, 9.2.2; ambiguities: decisions, upgrade. The end is one
 * record in the store shared by the servers of a datacenter. A process that reads it, even after a restart,
 * advertises `enabled`.
 */
import { AclError, type ServiceProfile } from '@latchkey/contract'
import type { AclModeRecord } from '../records/system-records.ts'
import { isCounted, type Member, type MemberMode, wayOut } from './member.ts'

export interface ModeInput {
  readonly datacenter: string
  readonly primaryDatacenter: string
  /** Known servers; servers of other datacenters are ignored. */
  readonly members: readonly Member[]
  /**
   * Servers of the primary, from its last answer to this secondary; `undefined` if there was none. Ignored in the
   * primary.
   */
  readonly primaryMembers: readonly Member[] | undefined
  /** Set if the configured primary is itself a secondary: the datacenter that it follows. */
  readonly primaryFollows?: string | undefined
  readonly recorded: AclModeRecord
}

export interface ModeDecision {
  readonly next: 'legacy' | 'enabled'
  /** What has to happen first, each phrased to follow "waits for". */
  readonly waitsFor: readonly string[]
}

/** Maximum reasons in an error, because any caller sees them and a cluster may be large. */
const REASONS_SHOWN_MAX = 5

/**
 * The mode of a datacenter with new data. A primary has nothing to upgrade unless its own version is before 1.4.0. A
 * secondary always starts in legacy mode, because it must not be ahead of its primary.
 */
export function initialMode(
  profile: ServiceProfile,
  { isPrimary, now }: { readonly isPrimary: boolean; readonly now: number },
): AclModeRecord {
  if (!profile.has('upgrade.legacyMode')) return { mode: 'legacy' }
  return isPrimary ? { mode: 'enabled', since: now } : { mode: 'legacy', beganEmpty: true }
}

export function advertisedMode(
  profile: ServiceProfile,
  { aclEnabled, recorded }: { readonly aclEnabled: boolean; readonly recorded: AclModeRecord },
): MemberMode {
  if (!profile.has('upgrade.legacyMode')) return 'unknown'
  return aclEnabled ? recorded.mode : 'disabled'
}

/**
 * Decides whether legacy mode ends in a datacenter. It ends when at least one of its servers is known and
 * every counted server supports the new ACLs. In a secondary, at least one server of the primary must also be
 * known, and every counted server of the primary must have left legacy mode. The end is final.
 */
export function decideMode(input: ModeInput): ModeDecision {
  if (input.recorded.mode === 'enabled') return { next: 'enabled', waitsFor: [] }
  // The workers of one server are members with the same name.
  const waitsFor = [...new Set([...waitsForOwnServers(input), ...waitsForPrimary(input)])]
  return { next: waitsFor.length === 0 ? 'enabled' : 'legacy', waitsFor }
}

/** The record after the end of legacy mode. Idempotent. */
export function endLegacyMode(recorded: AclModeRecord, now: number): AclModeRecord {
  return recorded.mode === 'enabled' ? recorded : { mode: 'enabled', since: now }
}

/**
 * The refusal of the new ACL APIs in legacy mode. Clients match its first sentence, which is the same as in
 * the reference. @param recorded a secondary without copies must not refuse a secret permanently, and answers
 * `copy_incomplete`.
 */
export function legacyModeError(waitsFor: readonly string[], recorded?: AclModeRecord): AclError {
  const hidden = waitsFor.length - REASONS_SHOWN_MAX
  const shown = waitsFor.slice(0, REASONS_SHOWN_MAX).join('; ')
  const rest = hidden > 0 ? `; and ${hidden} more` : ''
  const reason = shown === '' ? 'It is about to end.' : `It waits for ${shown}${rest}.`
  const message = `The ACL system is currently in legacy mode. ${reason}`
  if (recorded?.mode !== 'legacy' || !recorded.beganEmpty) return new AclError('legacy_mode', message)
  return new AclError('copy_incomplete', message, { headers: { 'Retry-After': '1' } })
}

function waitsForOwnServers({ datacenter, members }: ModeInput): readonly string[] {
  const counted = members.filter((member) => member.datacenter === datacenter && isCounted(member))
  if (counted.length === 0) return [`a server of ${datacenter} to be known`]
  return counted.flatMap((member) => {
    const toLeave = `or to leave${wayOut(member)}`
    if (member.mode === 'unknown') return [`${nameOf(member)} to run 1.4.0 or later, ${toLeave}`]
    return member.mode === 'disabled' ? [`${nameOf(member)} to switch its ACLs on, ${toLeave}`] : []
  })
}

function waitsForPrimary(input: ModeInput): readonly string[] {
  const { datacenter, primaryDatacenter, primaryMembers, primaryFollows } = input
  if (datacenter === primaryDatacenter) return []
  if (primaryFollows !== undefined) {
    return [`${primaryDatacenter} to be the primary datacenter: it takes ${primaryFollows} for it`]
  }
  if (primaryMembers === undefined) return [`the primary datacenter ${primaryDatacenter} to be reachable`]
  const counted = primaryMembers.filter(
    (member) => member.datacenter === primaryDatacenter && isCounted(member),
  )
  if (counted.length === 0) return [`a server of the primary datacenter ${primaryDatacenter} to be known`]
  return counted.flatMap((member) =>
    member.mode === 'enabled' ? [] : [`${nameOf(member)} in the primary datacenter to leave legacy mode`],
  )
}

function nameOf({ node, datacenter, version, status }: Member): string {
  const facts = [
    ...(version === '' ? [] : [`version ${version}`]),
    ...(status === 'failed' || status === 'stopped' ? [status] : []),
  ]
  return `server ${node} of ${datacenter}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}

type StartRefusal = 'downgrade' | 'legacy_rights'

/** The message is for the operator. */
export class StartRefused extends Error {
  override readonly name = 'StartRefused'
  readonly reason: StartRefusal
  constructor(reason: StartRefusal, message: string) {
    super(message)
    this.reason = reason
  }
}

export interface StartInput {
  readonly profile: ServiceProfile
  /** `undefined` for new data. */
  readonly recorded: AclModeRecord | undefined
  /** Tokens for which `hasLegacyRights` holds. */
  readonly legacyRightsCount: number
  /** Whether the operator accepts the loss of these tokens' rights. */
  readonly mayDropLegacyRights: boolean
  readonly flagName: string
}

/**
 * Checks whether a server may use the data: at its start, and whenever the recorded mode changes, because a
 * process that was suspended for a long time may have become too old.
 */
export function assertCanStart(input: StartInput): void {
  const { profile, recorded, legacyRightsCount, mayDropLegacyRights, flagName } = input
  const version = profile.version.text
  if (recorded?.mode === 'enabled' && !profile.has('upgrade.legacyMode')) {
    throw new StartRefused(
      'downgrade',
      `version ${version} cannot start on this data: it is upgraded to 1.4.0 or later, and there is no way back ` +
        '(spec 9.2.5). Start version 1.4.0 or later, or restore a backup from before the upgrade.',
    )
  }
  if (!profile.has('upgrade.legacyRules') && legacyRightsCount > 0 && !mayDropLegacyRights) {
    throw new StartRefused(
      'legacy_rights',
      `version ${version} does not start: ${legacyRightsCount === 1 ? '1 legacy token has' : `${legacyRightsCount.toLocaleString('en-US')} legacy tokens have`} rights ` +
        'from legacy rules alone, which version 1.11 ignores; only the default policy would apply instead. ' +
        `Link policies with version 1.10, or set ${flagName} to give these rights up.`,
    )
  }
}
