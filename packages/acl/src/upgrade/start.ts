/** What a server may not be started on. Spec 9.2.5; decisions, upgrade. */
import type { ServiceProfile } from '@latchkey/contract'
import type { AclModeRecord } from './mode.ts'

/** Why a server does not start: a way back that does not exist, or tokens that would lose their rights. */
export type StartRefusal = 'downgrade' | 'legacy_rights'

/** A server refuses to start on the data it was given. The message is for the operator. */
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
  /** `undefined` where the data is new. */
  readonly recorded: AclModeRecord | undefined
  /** How many tokens `hasLegacyRights` holds for. */
  readonly legacyRightsCount: number
  /** The operator said that these tokens may lose their rights. */
  readonly mayDropLegacyRights: boolean
  /** How that is said, for the message: the name of a variable or an option. */
  readonly flagName: string
}

/**
 * Checks whether a server may work on the data: at its start, and again whenever it learns that the recorded mode changed (a
 * process that was stopped for long may find itself too old).
 *
 * @throws StartRefused `downgrade` for a version before 1.4.0 once the upgrade is complete; `legacy_rights` for a
 * version from 1.11 while tokens live from legacy rights alone, unless flagged.
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
      `version ${version} does not start: ${legacyRightsCount} legacy token(s) have their rights from legacy rules alone, ` +
        'which version 1.11 no longer reads; they would be left with the default policy. Link policies to them ' +
        `with version 1.10, or set ${flagName} to let them lose these rights.`,
    )
  }
}
