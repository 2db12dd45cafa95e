/** Converts intentions to config entries, once. Spec 9.5; the rules are in acl. */
import {
  INTENTIONS_LOOK_MS,
  type IntentionMigrationRecord,
  type IntentionsLook,
  MEMBER_HEARTBEAT_MS,
  type Member,
  nextIntentionsStep,
} from '@latchkey/acl'
import { profileOf, readVersion, type ServiceProfile } from '@latchkey/contract'
import { changeSystem, isSecondary, type Store } from '@latchkey/service'
import type { Logger } from 'pino'
import type { Config } from '../config/config.ts'
import type { PrimaryClient } from '../outgoing/primary-client.ts'
import type { ServerStore } from '../server-store.ts'
import { commitOnce } from './legacy-mode.ts'
import { readPrimaryIntentions } from './primary-members.ts'

interface MigrationOptions {
  readonly store: ServerStore
  readonly config: Config
  readonly primary: PrimaryClient | undefined
  readonly profile: ServiceProfile
  readonly log: Logger
}

/** @returns the round of a job. Only the leader acts in it. */
export function intentionsMigration(options: MigrationOptions): () => Promise<number> {
  const { store, config, primary, profile, log } = options
  let electedAt: number | undefined
  return async () => {
    if (recordedIn(store)?.state === 'done') return INTENTIONS_LOOK_MS
    const nextMs = await store.asLeader(async () => {
      electedAt ??= store.clock.now()
      const isPrimary = !isSecondary({ ...config, store })
      return lookAtIntentions(
        {
          store,
          profile,
          now: () => store.clock.now(),
          members: async () =>
            (await store.membership.members()).filter(({ datacenter }) => datacenter === config.datacenter),
          primary: async () =>
            isPrimary ? 'is-here' : { state: await readPrimaryIntentions(primary, { store, config, log }) },
          log,
        },
        electedAt,
      )
    })
    if (nextMs === undefined) electedAt = undefined
    return nextMs ?? MEMBER_HEARTBEAT_MS
  }
}

export interface IntentionsContext {
  readonly store: Store
  readonly profile: ServiceProfile
  readonly now: () => number
  readonly members: () => Promise<readonly Pick<Member, 'node' | 'version' | 'status'>[]>
  readonly primary: () => Promise<IntentionsLook['primary']>
  readonly log: Logger
}

/** One check by the leader. @returns milliseconds until the next. */
export async function lookAtIntentions(context: IntentionsContext, electedAt: number): Promise<number> {
  const { store, profile, now, log } = context
  await store.refresh('consistent')
  const recorded = recordedIn(store)
  if (!profile.has('intentions.configEntries')) {
    // An older server has become leader again. As in the reference, it blocks nothing.
    if (recorded !== undefined && recorded.state !== 'done')
      await commitOnce(store, changeSystem(store, 'intentions', undefined))
    return INTENTIONS_LOOK_MS
  }
  const look: IntentionsLook = {
    recorded,
    servers: (await context.members()).map(({ node, version, status }) => ({
      node,
      version,
      status,
      keepsIntentions: keepsIntentions(version),
    })),
    primary: await context.primary(),
    destinations: [...store.directory().intentions().allEntries()].length,
    now: now(),
  }
  const step = nextIntentionsStep(look, electedAt)
  if (step.record && (await commitOnce(store, changeSystem(store, 'intentions', step.record)))) {
    const { state, waitsFor } = step.record
    const { destinations } = look
    log.info({ state, destinations, ...(waitsFor ? { waitsFor } : {}) }, 'migration of intentions')
  }
  return step.nextMs ?? INTENTIONS_LOOK_MS
}

function keepsIntentions(version: string): boolean {
  const known = readVersion(version)
  return known !== undefined && profileOf(known).has('intentions.configEntries')
}

function recordedIn(store: Pick<Store, 'directory'>): IntentionMigrationRecord | undefined {
  return store.directory().system('intentions')?.Value
}
