/** Assigns accessors: the leader of the primary makes one pass per second over 128 tokens. Spec 8, 9.2.3. */
import { ACCESSOR_BATCH_INTERVAL_MS_MIN } from '@latchkey/acl'
import { isAtLeast, LEGACY_REMOVED } from '../../version.ts'
import type { DatacenterState } from '../datacenter.ts'
import { PHASE } from '../queue.ts'
import { record, type World } from '../world.ts'
import { size, subtract } from './ranges.ts'
import { wakeReplication } from './replication.ts'
import { editRacing } from './token-edits.ts'
import type { BatchRead } from './token-store.ts'

/** The leader is in new mode: a primary starts the migration, a secondary switches its replication loop. */
export function leaderHasNewMode(world: World, datacenter: DatacenterState): void {
  wakeReplication(world)
  const { migration } = datacenter
  if (datacenter !== world.primary || datacenter.leader === undefined || migration.isRunning) return
  migration.isRunning = true
  migration.isIdle = false
  queuePass(world, datacenter)
}

export function stopMigration(world: World, datacenter: DatacenterState): void {
  const { migration } = datacenter
  interruptPass(world, datacenter)
  migration.isRunning = false
  migration.isPassQueued = false
  migration.isPassOverdue = false
  migration.lastPassMs = undefined
}

/** Interrupts a paused or lost leader. A batch that it read may or may not have reached the log. */
export function interruptPass(world: World, { migration }: DatacenterState): void {
  if (migration.pending === undefined) return
  migration.pending.isInLog = world.random.chance(0.5)
  migration.isPassOverdue = true
  migration.pending = undefined
}

export function tokensAppeared(world: World): void {
  const { migration } = world.primary
  if (migration.isStuck || !migration.isIdle) return
  migration.isIdle = false
  if (migration.isRunning) queuePass(world, world.primary)
}

/** A batch that failed every second succeeds at the next if the token that it could not write is gone. */
export function tokensDisappeared(world: World): void {
  const { store, model, primary } = world
  const { migration } = primary
  if (!migration.isStuck || store.hasUnwritable(store.read(model.nextBatch))) return
  migration.isStuck = false
  if (migration.lastPassMs !== undefined) {
    const retries = Math.floor((world.now - migration.lastPassMs) / ACCESSOR_BATCH_INTERVAL_MS_MIN)
    migration.lastPassMs += retries * ACCESSOR_BATCH_INTERVAL_MS_MIN
  }
  if (migration.isRunning) queuePass(world, primary)
}

export function overduePass(world: World, datacenter: DatacenterState): void {
  const { migration } = datacenter
  if (!migration.isPassOverdue) return
  migration.isPassOverdue = false
  queuePass(world, datacenter)
}

function queuePass(world: World, datacenter: DatacenterState): void {
  const { migration, term } = datacenter
  if (migration.isPassQueued || migration.isOver || migration.isStuck) return
  migration.isPassQueued = true
  world.queue.push(world.model.nextPassMs(migration, world.now), PHASE.work, () => {
    if (datacenter.term !== term || !migration.isRunning) return
    migration.isPassQueued = false
    if (datacenter.leader?.process?.isPaused === true) migration.isPassOverdue = true
    else pass(world, datacenter)
  })
}

function pass(world: World, datacenter: DatacenterState): void {
  const { migration, leader } = datacenter
  const { store, model } = world
  migration.lastPassMs = world.now
  const batch = store.read(model.nextBatch)
  editRacing(world, batch)
  if (batch.tokens.length === 0) {
    migration.isIdle = true
    if (model.waitsAfterIdle) migration.lastPassMs = undefined
    migration.isOver = leader?.process !== undefined && isAtLeast(leader.process.version, LEGACY_REMOVED)
    return
  }
  if (!model.sharesStore && store.hasUnwritable(batch)) failBatch(world, datacenter, batch)
  else if (world.scenario.commitMs === 0) save(world, datacenter, batch, datacenter.term)
  else saveLater(world, datacenter, batch)
}

function saveLater(world: World, datacenter: DatacenterState, batch: BatchRead): void {
  const { migration, term } = datacenter
  const pending = { isInLog: true }
  migration.pending = pending
  world.queue.push(world.now + world.scenario.commitMs, PHASE.work, () => {
    if (migration.pending === pending) migration.pending = undefined
    if (pending.isInLog) save(world, datacenter, batch, term)
  })
}

/** Compare and set: tokens that changed since the read are left to a later batch, and no change is lost. */
function save(world: World, datacenter: DatacenterState, batch: BatchRead, term: number): void {
  const { store, model } = world
  const { migration } = datacenter
  const skipped = model.sharesStore ? [] : store.changedSince(batch)
  const isReadAgain = model.sharesStore && size(store.among('unmigrated', batch.tokens)) < size(batch.tokens)
  const { tokens } = isReadAgain ? store.read(model.nextBatch) : batch
  const given = store.giveAccessors(subtract(tokens, skipped), world.accessorNext)
  if (given.length > 0) {
    record(world, {
      kind: 'batch',
      datacenter: datacenter.spec.name,
      server: datacenter.leader?.spec.id ?? datacenter.lastLeader?.spec.id ?? '',
      term,
      tokens: given,
      accessorFrom: world.accessorNext,
      skipped: size(skipped),
      remaining: store.count('unmigrated'),
    })
    world.accessorNext += size(given)
    migration.lastBatchMs = world.now
    wakeReplication(world)
  }
  if (migration.isRunning && !migration.isPassOverdue) queuePass(world, datacenter)
}

function failBatch(world: World, datacenter: DatacenterState, batch: BatchRead): void {
  datacenter.migration.isStuck = true
  record(world, {
    kind: 'batch-failed',
    datacenter: datacenter.spec.name,
    server: datacenter.leader?.spec.id ?? '',
    tokens: size(batch.tokens),
  })
}
