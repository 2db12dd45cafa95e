/**
 * Secondaries replicate the tokens of the primary: with a legacy loop until their leader is in new mode, then with
 * a loop that goes by accessor and skips tokens without one, which is how a copy can outlive its original.
 */

import type { DatacenterState } from './datacenter.ts'
import { PHASE } from './queue.ts'
import type { Range } from './ranges.ts'
import { intersect, size, subtract, unite } from './ranges.ts'
import { isLinkUp, isRunning, linkDelayMs, record, type World } from './world.ts'

const ROUND_INTERVAL_MS = 1_000
/** Rounds in a burst after an idle period. */
const ROUND_BURST = 5
/** The legacy loop writes one token per log entry, each at least this long. */
const LEGACY_WRITE_MS = 10
/** Approximate number of rounds in the history; a migration may have a hundred thousand. */
const ROUNDS_RECORDED = 200
const BACKOFF_MS_FIRST = 2_000
const BACKOFF_MS_MAX = 64_000

/** Starts a round in every secondary that is behind and can catch up. */
export function wakeReplication(world: World): void {
  for (const datacenter of world.datacenters) {
    if (datacenter !== world.primary) queueRound(world, datacenter)
  }
}

/** Which loop the leader of a secondary runs now; undefined while it runs none. */
function loopOf(datacenter: DatacenterState): 'legacy' | 'tokens' | undefined {
  const { leader, spec } = datacenter
  if (leader?.process === undefined || !spec.tokenReplication || spec.replicationToken === 'none')
    return undefined
  if (leader.process.mode === 'new') return 'tokens'
  return leader.process.mode === 'off' ? undefined : 'legacy'
}

/** Whether a secondary has work that it can do now. */
function isBehind(world: World, datacenter: DatacenterState): boolean {
  const { replication } = datacenter
  const loop = loopOf(datacenter)
  if (loop === undefined) return false
  // Once the new loop has run, a legacy window at a restart adds nothing.
  if (loop === 'legacy') return replication.cursor === 0 && replication.legacyCursor < world.store.log.length
  return replication.cursor < world.store.log.length
}

function canReachPrimary(world: World, datacenter: DatacenterState): boolean {
  return (
    isLinkUp(world, datacenter.spec.name, world.primary.spec.name) &&
    world.primary.servers.some(isRunning) &&
    datacenter.leader !== undefined &&
    isRunning(datacenter.leader)
  )
}

function queueRound(world: World, datacenter: DatacenterState): void {
  const { replication } = datacenter
  if (replication.isRoundQueued || !isBehind(world, datacenter)) return
  if (!canReachPrimary(world, datacenter)) {
    replication.failingSinceMs ??= world.now
    return
  }
  replication.isRoundQueued = true
  const delayMs = linkDelayMs(world, datacenter.spec.name, world.primary.spec.name)
  const limitMs = replication.limiterMs - (ROUND_BURST - 1) * ROUND_INTERVAL_MS
  const startMs = Math.max(world.now + delayMs, limitMs, retryMs(world, datacenter))
  world.queue.push(startMs, PHASE.work, () => startRound(world, datacenter))
}

/** When the retries that have failed since the first one come round again: after 2, 4, 8 … 64, 64 s. */
function retryMs(world: World, { replication }: DatacenterState): number {
  if (replication.failingSinceMs === undefined) return world.now
  let at = replication.failingSinceMs
  for (let wait = BACKOFF_MS_FIRST; at < world.now; wait = Math.min(2 * wait, BACKOFF_MS_MAX)) at += wait
  return at
}

function startRound(world: World, datacenter: DatacenterState): void {
  const { replication } = datacenter
  replication.isRoundQueued = false
  const loop = loopOf(datacenter)
  if (loop === undefined || !isBehind(world, datacenter)) return
  if (!canReachPrimary(world, datacenter)) {
    replication.failingSinceMs ??= world.now
    return
  }
  if (loop === 'tokens' && datacenter.spec.replicationToken === 'read') {
    refuseRedacted(world, datacenter)
    return
  }
  replication.failingSinceMs = undefined
  replication.limiterMs = Math.max(replication.limiterMs, world.now) + ROUND_INTERVAL_MS
  const end = world.store.log.length
  const answerMs = linkDelayMs(world, datacenter.spec.name, world.primary.spec.name)
  const writeMs = loop === 'legacy' ? legacyWrites(world, replication.legacyCursor, end) * LEGACY_WRITE_MS : 0
  replication.isRoundQueued = true
  world.queue.push(world.now + answerMs + writeMs, PHASE.work, () => {
    replication.isRoundQueued = false
    // The round is void if the leader or its mode has changed.
    if (loopOf(datacenter) === loop) apply(world, datacenter, loop, end)
    queueRound(world, datacenter)
  })
}

/** With a token of acl:read the secrets come redacted, and the round fails: policies go through, tokens do not. */
function refuseRedacted(world: World, datacenter: DatacenterState): void {
  const { replication } = datacenter
  replication.cursor = world.store.log.length
  if (replication.isRefused) return
  replication.isRefused = true
  record(world, {
    kind: 'replication-failed',
    datacenter: datacenter.spec.name,
    detail: 'the replication token has acl:read only: policies replicate, tokens do not',
  })
}

function legacyWrites(world: World, from: number, to: number): number {
  return world.store.log
    .slice(from, to)
    .reduce((sum, entry) => sum + (entry.kind === 'accessors' ? 0 : size(entry.tokens)), 0)
}

function apply(world: World, datacenter: DatacenterState, loop: 'legacy' | 'tokens', end: number): void {
  const { replication, spec } = datacenter
  if (loop === 'legacy') {
    replication.legacyCursor = Math.max(replication.legacyCursor, end)
    return
  }
  const begin = replication.cursor
  for (let i = begin; i < end; i++) {
    const entry = world.store.log[i]
    if (entry?.kind === 'accessors') {
      for (const span of entry.spans) replication.migrated += span.to - span.from
    } else if (entry?.kind === 'deleted') {
      replication.migrated -= size(intersect(entry.tokens, accessorsBefore(world, i)))
      if (i >= replication.legacyCursor) leaveGhosts(world, datacenter, entry.tokens, begin)
    }
  }
  replication.cursor = end
  replication.rounds += 1
  const isDone = end === world.store.log.length && world.store.unmigratedCount === 0
  const step = Math.ceil(world.store.total / ROUNDS_RECORDED)
  if (!isDone && replication.migrated - replication.recorded < step) return
  replication.recorded = replication.migrated
  record(world, {
    kind: 'replicated',
    datacenter: spec.name,
    type: 'tokens',
    migrated: replication.migrated,
    ghosts: size(replication.ghosts),
  })
}

/** A deletion reaches a copy only if the copy has got its accessor in an earlier round; else it is a ghost. */
function leaveGhosts(
  world: World,
  datacenter: DatacenterState,
  deleted: readonly Range[],
  begin: number,
): void {
  const { replication } = datacenter
  const unreached = subtract(deleted, accessorsBefore(world, begin))
  const copies = copiedByLegacy(world, replication.legacyCursor)
  replication.ghosts = unite(replication.ghosts, intersect(unreached, copies))
}

function accessorsBefore(world: World, end: number): Range[] {
  const spans = world.store.log
    .slice(0, end)
    .flatMap((entry) =>
      entry.kind === 'accessors' ? entry.spans.map((span): Range => [span.from, span.to]) : [],
    )
  return unite(spans, [])
}

/** Tokens that the legacy loop had copied: those of the beginning, and those created before its last round. */
function copiedByLegacy(world: World, legacyCursor: number): Range[] {
  const later = world.store.log
    .slice(legacyCursor)
    .flatMap((entry) => (entry.kind === 'created' ? [...entry.tokens] : []))
  const all: Range[] = world.store.total === 0 ? [] : [[0, world.store.total]]
  return subtract(all, unite(later, []))
}

/** Tokens of a secondary that have an accessor at the end, by number. */
export function migratedIn(world: World, { replication }: DatacenterState): Range[] {
  if (replication.isRefused) return []
  const deleted = world.store.log
    .slice(0, Math.max(replication.cursor, replication.legacyCursor))
    .flatMap((entry) => (entry.kind === 'deleted' ? [...entry.tokens] : []))
  return subtract(accessorsBefore(world, replication.cursor), unite(deleted, []))
}

/** Tokens that a secondary holds at the end, with or without accessor. */
export function copiesIn(world: World, datacenter: DatacenterState): Range[] {
  const { replication, spec } = datacenter
  if (!spec.tokenReplication || spec.replicationToken === 'none') return []
  const deleted = world.store.log
    .slice(0, Math.max(replication.cursor, replication.legacyCursor))
    .flatMap((entry) => (entry.kind === 'deleted' ? [...entry.tokens] : []))
  const known = unite(copiedByLegacy(world, replication.legacyCursor), migratedIn(world, datacenter))
  return unite(subtract(known, unite(deleted, [])), replication.ghosts)
}
