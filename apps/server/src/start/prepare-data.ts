import { advertisedMode, assertCanStart, initialIntentions, initialMode, type Random } from '@latchkey/acl'
import type { ServiceProfile } from '@latchkey/contract'
import { ensureBuiltins, isSecondary, legacyBuiltinChanges, putSystem } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { ServerStore } from '../server-store.ts'

interface DataParts {
  readonly store: ServerStore
  readonly config: Config
  readonly profile: ServiceProfile
  readonly random: Random
}

/** Creates the built-in records, and checks that this version may use the data. @throws StartRefused */
export async function prepareData({ store, config, profile, random }: DataParts): Promise<void> {
  await store.refresh('consistent')
  const isPrimary = !isSecondary({ ...config, store })
  const now = store.clock.now()
  const recorded = store.directory().system('acl-mode')?.Value
  assertCanStart({
    profile,
    recorded,
    legacyRightsCount: profile.has('upgrade.legacyRules') ? 0 : await countLegacyRights(store, isPrimary),
    mayDropLegacyRights: config.allowUnconvertedLegacy,
    flagName: 'LATCHKEY_ALLOW_UNCONVERTED_LEGACY',
  })
  const mode = recorded ?? initialMode(profile, { isPrimary, now })
  const { initialManagementToken } = config
  const context = { random, now, initialManagementToken, isSecondary: !isPrimary }
  if (mode.mode === 'enabled') await ensureBuiltins(store, context)
  else if (!recorded && isPrimary) await ensureBuiltins(store, context, legacyBuiltinChanges)
  if (!recorded) {
    const intentions = isPrimary ? initialIntentions(profile, now) : undefined
    await store.recordOnce([
      putSystem('acl-mode', mode, 0),
      ...(intentions ? [putSystem('intentions', intentions, 0)] : []),
    ])
  }
  // From 1.4.0 on, a secondary gets what it needs from its primary.
  const makesCopies = !isPrimary && mode.mode === 'legacy' && !profile.has('api.token')
  if (makesCopies) await ensureBuiltins(store, context, legacyBuiltinChanges)
  await store.membership.setMode(advertisedMode(profile, { aclEnabled: config.aclEnabled, recorded: mode }))
}

/** Warns of settings that the promotion of this datacenter overrides. Decisions: promotion. */
export function warnOfPromotion({ store, config }: DataParts, log: Logger): void {
  const { datacenter, primaryDatacenter } = config
  const cluster = store.directory().system('cluster')?.Value
  if (cluster?.promoted === undefined || primaryDatacenter === datacenter) return
  log.warn(
    { promoted: cluster.promoted },
    `${datacenter} was promoted and is the primary, although LATCHKEY_PRIMARY_DATACENTER says ${primaryDatacenter}: ` +
      `set it to ${datacenter}, and remove LATCHKEY_PRIMARY_URL`,
  )
}

async function countLegacyRights(store: ServerStore, isPrimary: boolean): Promise<number> {
  const count = await store.countTokens({ legacyRights: true })
  // In a secondary, no migration links a global management token that has no accessor yet.
  if (isPrimary) return count
  return count + (await store.countTokens({ withoutAccessor: true, management: true, local: false }))
}
