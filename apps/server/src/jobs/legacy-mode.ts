/** Ends legacy mode when its rule allows. Spec 9.2.2; the rule is in acl. */
import { decideMode, endLegacyMode, type Member, type ModeDecision } from '@latchkey/acl'
import { type Change, putSystem, type Store, StoreConflict } from '@latchkey/service'
import type { SeenPrimary } from './primary-members.ts'

export interface LegacyModeContext {
  readonly store: Store
  readonly now: () => number
  readonly datacenter: string
  readonly primaryDatacenter: string
  readonly members: () => Promise<readonly Member[]>
  /** The primary, as a secondary sees it; `undefined` if the primary cannot be reached. */
  readonly primary: () => Promise<SeenPrimary | undefined>
  /** Creates what must exist after the mode has ended, before the end is recorded. */
  readonly prepare: () => Promise<void>
}

/** Checks once. @returns the decision, including whether the mode has just ended. */
export async function lookAtLegacyMode(
  context: LegacyModeContext,
): Promise<ModeDecision & { readonly ended: boolean }> {
  const { store, datacenter, primaryDatacenter } = context
  await store.refresh('consistent')
  const stored = store.directory().system('acl-mode')
  const recorded = stored?.Value ?? { mode: 'enabled', since: 0 }
  if (recorded.mode === 'enabled') return { next: 'enabled', waitsFor: [], ended: false }
  const primary = datacenter === primaryDatacenter ? undefined : await context.primary()
  const decision = decideMode({
    datacenter,
    primaryDatacenter,
    members: await context.members(),
    primaryMembers: primary?.members,
    primaryFollows: primary?.follows,
    recorded,
  })
  if (decision.next === 'legacy') return { ...decision, ended: false }
  await context.prepare()
  const end = putSystem('acl-mode', endLegacyMode(recorded, context.now()), stored?.ModifyIndex ?? 0)
  return { ...decision, ended: await commitOnce(store, [end]) }
}

/** Commits changes. @returns false if another process was faster. */
export async function commitOnce(store: Store, changes: readonly Change[]): Promise<boolean> {
  try {
    await store.commit(changes)
    return true
  } catch (error) {
    if (error instanceof StoreConflict) return false
    throw error
  }
}
