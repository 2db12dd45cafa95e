/**
 * Legacy mode: when it ends, and that it ends once. Spec 9.2.1, 9.2.2; ambiguities: decisions, upgrade.
 *
 * The mode belongs to a datacenter, whose servers share one store: its end is one record there, found again by every
 * restart. A process learns the end from the record and then advertises `enabled`.
 */
import { AclError, type ServiceProfile } from '@latchkey/contract'
import { isCounted, type Member, type MemberMode } from './member.ts'

/** The value of the system record `acl-mode`. The index of the end is the record's own, as it is never written again. */
export type AclModeRecord =
  | { readonly mode: 'legacy' }
  | {
      readonly mode: 'enabled'
      /** When legacy mode ended: milliseconds since the epoch. */
      readonly since: number
    }

export interface ModeInput {
  /** The datacenter that is decided on. */
  readonly datacenter: string
  readonly primaryDatacenter: string
  /** Known servers; those of other datacenters are not looked at. */
  readonly members: readonly Member[]
  /**
   * Servers of the primary as a secondary last heard of them; `undefined` while it never did. Not looked at in the primary
   * itself.
   */
  readonly primaryMembers: readonly Member[] | undefined
  readonly recorded: AclModeRecord
}

export interface ModeDecision {
  readonly next: 'legacy' | 'enabled'
  /** What has to happen first, each fit to follow "waits for"; empty where nothing has to. */
  readonly waitsFor: readonly string[]
}

/** Maximum reasons in an error: any caller sees it, and a cluster may be large. */
const REASONS_SHOWN_MAX = 5

/**
 * The mode of a datacenter whose data is new. A primary has nothing to upgrade, unless the version that makes the data is
 * itself before 1.4.0. A secondary always starts in legacy mode, as it must not be ahead of its primary.
 */
export function initialMode(
  profile: ServiceProfile,
  { isPrimary, now }: { readonly isPrimary: boolean; readonly now: number },
): AclModeRecord {
  const isNew = isPrimary && profile.has('upgrade.legacyMode')
  return isNew ? { mode: 'enabled', since: now } : { mode: 'legacy' }
}

/** What a server advertises: a process before 1.4.0 cannot advertise anything. */
export function advertisedMode(
  profile: ServiceProfile,
  { aclEnabled, recorded }: { readonly aclEnabled: boolean; readonly recorded: AclModeRecord },
): MemberMode {
  if (!profile.has('upgrade.legacyMode')) return 'unknown'
  return aclEnabled ? recorded.mode : 'disabled'
}

/**
 * Decides whether legacy mode ends in a datacenter.
 *
 * It ends when at least one server of it is known and every counted one supports the new ACLs; in a secondary, moreover,
 * only after at least one server of the primary is known and every counted one there has left legacy mode. Once it has
 * ended, nothing brings it back.
 */
export function decideMode(input: ModeInput): ModeDecision {
  if (input.recorded.mode === 'enabled') return { next: 'enabled', waitsFor: [] }
  const waitsFor = [...waitsForOwnServers(input), ...waitsForPrimary(input)]
  return { next: waitsFor.length === 0 ? 'enabled' : 'legacy', waitsFor }
}

/** The record once legacy mode has ended. Committing it twice changes nothing. */
export function endLegacyMode(recorded: AclModeRecord, now: number): AclModeRecord {
  return recorded.mode === 'enabled' ? recorded : { mode: 'enabled', since: now }
}

/**
 * The refusal of the new ACL APIs in legacy mode. Its first sentence is the reference's, which clients match.
 *
 * @param waitsFor as decided; at most five reasons are shown.
 */
export function legacyModeError(waitsFor: readonly string[]): AclError {
  const hidden = waitsFor.length - REASONS_SHOWN_MAX
  const shown = waitsFor.slice(0, REASONS_SHOWN_MAX).join('; ')
  const rest = hidden > 0 ? `; and ${hidden} more` : ''
  const reason = shown === '' ? 'It is about to end.' : `It waits for ${shown}${rest}.`
  return new AclError('legacy_mode', `The ACL system is currently in legacy mode. ${reason}`)
}

function waitsForOwnServers({ datacenter, members }: ModeInput): readonly string[] {
  const counted = members.filter((member) => member.datacenter === datacenter && isCounted(member))
  if (counted.length === 0) return [`a server of ${datacenter} to be known`]
  return counted.flatMap((member) => {
    if (member.mode === 'unknown') return [`${nameOf(member)} to run 1.4.0 or later, or to leave`]
    return member.mode === 'disabled' ? [`${nameOf(member)} to switch its ACLs on, or to leave`] : []
  })
}

function waitsForPrimary({ datacenter, primaryDatacenter, primaryMembers }: ModeInput): readonly string[] {
  if (datacenter === primaryDatacenter) return []
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
    ...(status === 'failed' ? ['failed'] : []),
  ]
  return `server ${node} of ${datacenter}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`
}
