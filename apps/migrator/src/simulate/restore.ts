/** Snapshots of a datacenter, and their restore into running servers or into empty ones. Spec 9.2.5. */
import type { ScenarioEventOf } from '../scenario/scenario.ts'
import { impossible } from '../scenario/source.ts'
import { formatSeconds } from '../scenario/time.ts'
import { INTENTIONS_AS_ENTRIES, isAtLeast, NEW_ACLS } from '../version.ts'
import type { DatacenterState, Snapshot } from './datacenter.ts'
import { startProcess, stopProcess } from './servers/processes.ts'
import { leaderHasNewMode, stopMigration, tokensAppeared } from './tokens/migration.ts'
import { size, subtract } from './tokens/ranges.ts'
import { wakeReplication } from './tokens/replication.ts'
import { changed, datacenterOf, isRunning, record, type World } from './world.ts'

export function takeSnapshots(world: World): void {
  for (const event of world.scenario.events) {
    if (event.kind !== 'restore' || event.snapshot !== world.now) continue
    const datacenter = datacenterOf(world, event.datacenter)
    const { replication, hasCompleted, intentions, localTokens } = datacenter
    datacenter.snapshots.set(world.now, {
      store: world.store.snapshot(),
      replication: replication.clone(),
      hasCompleted,
      intentions: { ...intentions },
      localTokens,
      recordsThen: world.records.length,
    })
  }
}

export function restore(world: World, event: ScenarioEventOf<'restore'>): void {
  const datacenter = datacenterOf(world, event.datacenter)
  const snapshot = datacenter.snapshots.get(event.snapshot)
  if (snapshot === undefined) throw new TypeError('the scenario let a restore without a snapshot through')
  refuseUnreadable(datacenter, snapshot, event)
  const running = datacenter.servers.filter((server) => server.process !== undefined)
  if (event.version !== undefined) for (const server of running) stopProcess(world, server, 'restart')
  stopMigration(world, datacenter)
  datacenter.migration.isStuck = false
  datacenter.migration.isOver = false
  datacenter.hasCompleted = snapshot.hasCompleted
  datacenter.localTokens = snapshot.localTokens
  Object.assign(datacenter.intentions, snapshot.intentions)
  restoreTokens(world, datacenter, snapshot, event)
  changed(world)
  if (event.version !== undefined) {
    for (const server of running) {
      server.version = event.version
      startProcess(world, server, { detail: 'restore', place: event.place })
    }
  } else if (datacenter.leader?.process?.mode === 'new') {
    // The leader is installed again, and a leader in new mode writes its records.
    datacenter.hasCompleted = true
    leaderHasNewMode(world, datacenter)
  }
  if (datacenter === world.primary && !datacenter.hasCompleted) world.completedAt = undefined
  tokensAppeared(world)
  wakeReplication(world)
}

function restoreTokens(
  world: World,
  datacenter: DatacenterState,
  snapshot: Snapshot,
  event: ScenarioEventOf<'restore'>,
): void {
  const { store } = world
  const isPrimary = datacenter === world.primary
  const before = store.all('migrated')
  if (isPrimary) store.restore(snapshot.store)
  else datacenter.replication = snapshot.replication.clone()
  const lost = subtract(before, snapshot.store.sets.migrated.ranges)
  const writes = world.records
    .slice(snapshot.recordsThen)
    .flatMap((each) => (each.kind === 'tokens' && each.refused === undefined ? each.tokens : []))
  record(world, {
    kind: 'restored',
    datacenter: datacenter.spec.name,
    snapshotAt: event.snapshot,
    recordsThen: snapshot.recordsThen,
    writesLost: isPrimary ? size(writes) : 0,
    accessorsLost: isPrimary ? size(lost) : 0,
    unmigrated: store.count('unmigrated'),
    ...store.endingRights(),
  })
}

/** A server exits at a record type that it does not know, and its own state is lost. */
function refuseUnreadable(
  { spec, servers }: DatacenterState,
  snapshot: Snapshot,
  { version, atMs, snapshot: takenMs, place }: ScenarioEventOf<'restore'>,
): void {
  const completed = snapshot.hasCompleted ? NEW_ACLS : undefined
  const needed = snapshot.intentions.hasEntries ? INTENTIONS_AS_ENTRIES : completed
  const versions =
    version === undefined ? servers.filter(isRunning).map(({ process }) => process.version) : [version]
  const old = versions.find((each) => needed !== undefined && !isAtLeast(each, needed))
  if (needed === undefined || old === undefined) return
  throw impossible(
    'restore',
    atMs,
    `but a server of ${old.text} cannot read the snapshot that ${spec.name} took at ${formatSeconds(takenMs)}, after its upgrade to ${needed.text} (spec 9.2.5)`,
    place,
  )
}
