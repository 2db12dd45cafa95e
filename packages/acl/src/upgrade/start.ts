/** Data with which a server refuses to start. Spec 9.2.5; decisions, upgrade. */
import type { ServiceProfile } from '@latchkey/contract'
import type { AclModeRecord } from '../records/system-records.ts'

/** A downgrade, or tokens that would lose their rights. */
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
  /** The variable or option that sets it, for the message. */
  readonly flagName: string
}

/**
 * Checks whether a server may use the data: at its start, and whenever the recorded mode changes, because a process
 * that was suspended for a long time may have become too old.
 *
 * @throws StartRefused `downgrade` for a version before 1.4.0 once the upgrade is complete; `legacy_rights` for a
 * version from 1.11 while tokens have only legacy rights, unless the operator accepts their loss.
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
