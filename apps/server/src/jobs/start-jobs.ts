/** The background work of a process. Work for only one process of the cluster runs in the leader. */
import { advertisedMode, MEMBER_HEARTBEAT_MS, type Random, StartRefused } from '@latchkey/acl'
import { AclError, type ServiceProfile, sleep } from '@latchkey/contract'
import {
  type CoordinateUpdates,
  ensureBuiltins,
  isSecondary,
  StoreConflict,
  type TokenScope,
} from '@latchkey/service'
import type { Logger } from 'pino'
import { registerMembers } from '../checks/server-nodes.ts'
import type { ServerClusterInfo } from '../cluster-info.ts'
import type { Config } from '../config/config.ts'
import type { PrimaryClient } from '../outgoing/primary-client.ts'
import type { Replication } from '../replication/replication.ts'
import type { ServerStore } from '../server-store.ts'
import { migrateAccessors, migratedHere } from './accessor-migration.ts'
import { intentionsMigration } from './intentions-migration.ts'
import { type Job, startJob } from './job.ts'
import { lookAtLegacyMode } from './legacy-mode.ts'
import { readPrimaryMembers } from './primary-members.ts'
import {
  isFullBatch,
  orphanReaper,
  REAP_INTERVAL_MS,
  reapExpiredTokens,
  reapedHere,
  reapIdleTokens,
} from './reaper.ts'
import { sessionSweeper } from './session-sweeper.ts'

interface JobsOptions {
  readonly store: ServerStore
  readonly cluster: ServerClusterInfo
  readonly config: Config
  readonly primary: PrimaryClient | undefined
  readonly replication: Replication | undefined
  readonly coordinateUpdates: CoordinateUpdates
  readonly profile: ServiceProfile
  readonly random: Random
  readonly log: Logger
  readonly onFatal: (error: Error) => void
}

/** A search reads all tokens with an idle limit, and idle tokens stop working without it. */
const IDLE_REAP_INTERVAL_MS = 5_000
/** Maximum time until a changed auth method is noticed. Polled, because waiters in the store are counted as blocking queries. */
const METHODS_LOOK_MS = 50
const LOGIN_STATE_REAP_INTERVAL_MS = 60_000
const COORDINATES_INTERVAL_MS = 5_000
const MIGRATION_LOOK_INTERVAL_MS = 250
/** A replaced primary that has returned should be noticed within a minute. */
const OLD_PRIMARY_LOOK_INTERVAL_MS = 5_000

export function startJobs(options: JobsOptions): Job {
  const { log, store, coordinateUpdates } = options
  const jobs = [
    startJob('reaper', log, () => reap(options)),
    startJob('orphan-reaper', log, reapOrphans(options)),
    startJob('idle-reaper', log, () => reapIdle(options)),
    startJob('login-state-reaper', log, () => reapLoginStates(options)),
    // Each process writes the coordinates that were reported to it.
    startJob('coordinates', log, () => coordinateUpdates.write(store).then(() => COORDINATES_INTERVAL_MS)),
    startJob('server-nodes', log, () => registerMembers(store, options.config)),
    startJob('legacy-mode', log, () => look(options)),
    startJob('accessor-migration', log, (signal) => migrate(options, signal)),
    startJob('replication', log, (signal) => replicate(options, signal)),
    startJob('session-sweeper', log, sessionSweeper(store, store.asLeader)),
    startJob('intentions', log, intentionsMigration(options)),
  ]
  return {
    stop: async () => {
      await Promise.all(jobs.map((job) => job.stop()))
    },
  }
}

function scopeOf({ config, store }: JobsOptions): TokenScope {
  return reapedHere(isSecondary({ ...config, store }))
}

async function reap(options: JobsOptions): Promise<number> {
  const { store, log } = options
  const reaped = await store.asLeader(() => reapExpiredTokens(store, store.clock.now(), scopeOf(options)))
  if (reaped?.removed) log.debug({ removed: reaped.removed }, 'expired tokens removed')
  return reaped?.nextInMs ?? REAP_INTERVAL_MS
}

/** Waits for a change of an auth method: watchers of its tokens sleep until these are removed. */
function reapOrphans(options: JobsOptions): (signal: AbortSignal) => Promise<number> {
  const { store } = options
  const round = orphanReaper(store, store.asLeader, () => scopeOf(options))
  return async (signal) => {
    const index = store.tableIndex('authMethods')
    const inMs = await round()
    for (
      let waited = 0;
      waited < inMs && store.tableIndex('authMethods') === index;
      waited += METHODS_LOOK_MS
    ) {
      await sleep(METHODS_LOOK_MS, signal).catch(() => {})
    }
    return 0
  }
}

async function reapIdle(options: JobsOptions): Promise<number> {
  const { store, log } = options
  const found = await store.asLeader(() => reapIdleTokens(store, store.clock.now(), scopeOf(options)))
  if (found) log.debug({ found }, 'idle tokens removed')
  return isFullBatch(found ?? 0) ? 0 : IDLE_REAP_INTERVAL_MS
}

async function reapLoginStates({ store }: JobsOptions): Promise<number> {
  await store.asLeader(async () => {
    await store.loginStates.reap(store.clock.now())
    await store.reapTokenUses()
  })
  return LOGIN_STATE_REAP_INTERVAL_MS
}

/** Every server checks. The first that finds the rule fulfilled ends the mode; the others read this. */
async function look(options: JobsOptions): Promise<number> {
  const { store, cluster, config, profile, random, log, onFatal, primary } = options
  const recorded = () => store.directory().system('acl-mode')?.Value
  const before = recorded()
  if (before?.mode === 'enabled' && !profile.has('upgrade.legacyMode')) {
    onFatal(
      new StartRefused(
        'downgrade',
        `version ${profile.version.text} cannot run: its data is upgraded to 1.4.0 or later, and there is no way ` +
          'back (spec 9.2.5). Start version 1.4.0 or later.',
      ),
    )
    return MEMBER_HEARTBEAT_MS
  }
  if (before?.mode === 'legacy' && profile.has('upgrade.legacyMode')) {
    const begunAt = performance.now()
    const decision = await lookAtLegacyMode({
      store,
      now: () => store.clock.now(),
      datacenter: config.datacenter,
      primaryDatacenter: config.primaryDatacenter,
      members: () => store.membership.members(),
      primary: async () => {
        const seen = await readPrimaryMembers(primary, { datacenter: config.primaryDatacenter, log })
        cluster.setPrimaryFollows(seen?.follows)
        return seen
      },
      // In the primary, the migration does the rest.
      prepare: () =>
        ensureBuiltins(store, {
          isSecondary: isSecondary({ ...config, store }),
          random,
          now: store.clock.now(),
          initialManagementToken: config.initialManagementToken,
        }),
    })
    cluster.setLegacyModeWaitsFor(decision.waitsFor)
    if (decision.ended)
      log.info({ ms: Math.round(performance.now() - begunAt) }, 'legacy mode has ended in this datacenter')
  }
  const after = recorded()
  if (after)
    await store.membership.setMode(
      advertisedMode(profile, { aclEnabled: config.aclEnabled, recorded: after }),
    )
  return MEMBER_HEARTBEAT_MS
}

/** In the primary datacenter; a secondary receives its global tokens with their accessors. Spec 9.2.3. */
async function migrate(options: JobsOptions, signal: AbortSignal): Promise<number> {
  const { store, cluster, config, profile, random, log } = options
  const mode = store.directory().system('acl-mode')?.Value.mode
  if (!profile.has('upgrade.legacyMode') || mode !== 'enabled') return MIGRATION_LOOK_INTERVAL_MS
  const scope = { isSecondary: isSecondary({ ...config, store }) }
  const onBatch = () => cluster.setMigrationError(undefined)
  const work = async (lost: AbortSignal) => {
    if ((await store.countTokens(migratedHere(scope))) === 0) return
    const ends = AbortSignal.any([signal, lost])
    await migrateAccessors({ ...scope, store, now: () => store.clock.now(), random, log, onBatch }, ends)
  }
  try {
    await store.asLeader(work)
  } catch (error) {
    const isTellable = error instanceof AclError || error instanceof StoreConflict
    cluster.setMigrationError(isTellable ? error.message : 'internal error: see the log of this server')
    throw error
  }
  return MIGRATION_LOOK_INTERVAL_MS
}

/** In legacy mode, a datacenter replicates nothing. Spec 9.2.2. */
async function replicate({ store, config, replication }: JobsOptions, signal: AbortSignal): Promise<number> {
  const mode = store.directory().system('acl-mode')?.Value.mode
  if (replication === undefined || mode !== 'enabled') return MIGRATION_LOOK_INTERVAL_MS
  if (!isSecondary({ ...config, store })) {
    await store.asLeader(() => replication.lookForOldPrimary(signal))
    return OLD_PRIMARY_LOOK_INTERVAL_MS
  }
  await store.asLeader((lost) => replication.run(AbortSignal.any([signal, lost])))
  return MIGRATION_LOOK_INTERVAL_MS
}
