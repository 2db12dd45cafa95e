/** How secondaries replicate tokens. The new loop skips those without an accessor, so copies can outlive. */
import type { DatacenterState, Replication } from '../datacenter.ts'
import { PHASE } from '../queue.ts'
import { isLinkUp, isRunning, linkDelayMs, record, type World } from '../world.ts'
import { type Range, RangeSet, type Ranges, size, subtract } from './ranges.ts'
import type { StoreChange } from './token-store.ts'

/** Minimum time per write of the legacy loop, which writes one token per log entry. */
const LEGACY_WRITE_MS = 10
/** Approximate number of rounds to record in the history; a migration may have a hundred thousand. */
const ROUNDS_RECORDED = 200

export function wakeReplication(world: World): void {
  for (const datacenter of world.datacenters) {
    if (datacenter !== world.primary) queueRound(world, datacenter)
  }
}

/** Whether a datacenter has copies of the global tokens, without which it cannot have local tokens. */
export function hasCopies({ spec }: DatacenterState): boolean {
  return spec.tokenReplication && spec.replicationToken !== 'none'
}

function loopOf({ model }: World, datacenter: DatacenterState): 'legacy' | 'tokens' | undefined {
  const { leader } = datacenter
  if (leader?.process === undefined || !hasCopies(datacenter)) return undefined
  if (leader.process.mode === 'new') return 'tokens'
  return leader.process.mode === 'off' || !model.replication.followsInLegacyMode ? undefined : 'legacy'
}

/** The loop of a secondary that is behind and reaches the primary. If it is cut off, its round fails. */
function readyLoop(world: World, datacenter: DatacenterState): 'legacy' | 'tokens' | undefined {
  const { replication, leader } = datacenter
  const { primary, store, now } = world
  const loop = loopOf(world, datacenter)
  if (loop === undefined) return undefined
  // Once the new loop has run, the legacy loop has no effect during the legacy mode after a restart.
  if (loop === 'legacy' && replication.cursor > 0) return undefined
  const cursor = loop === 'legacy' ? replication.legacyCursor : replication.cursor
  if (cursor >= store.log.length) return undefined
  const isCut = !isLinkUp(world, datacenter, primary) || !primary.servers.some(isRunning)
  if (!isCut && leader !== undefined && isRunning(leader)) return loop
  replication.failingSinceMs ??= now
  replication.lastErrorMs = now
  replication.lastError = 'the primary cannot be reached'
  return undefined
}

function queueRound(world: World, datacenter: DatacenterState): void {
  const { replication } = datacenter
  if (replication.isRoundQueued || readyLoop(world, datacenter) === undefined) return
  replication.isRoundQueued = true
  const delayMs = linkDelayMs(world, datacenter, world.primary)
  const { intervalMs, burst } = world.model.replication
  const limitMs = replication.limiterMs - (burst - 1) * intervalMs
  const startMs = Math.max(world.now + delayMs, limitMs, retryMs(world, datacenter))
  world.queue.push(startMs, PHASE.work, () => startRound(world, datacenter))
}

/** The time of the next retry, with backoff since the first failure: 2, 4, 8 … 64, 64 s in the reference. */
function retryMs({ now, model }: World, { replication }: DatacenterState): number {
  if (replication.failingSinceMs === undefined) return now
  const { retryMsFirst, retryMsMax } = model.replication
  let at = replication.failingSinceMs
  for (let wait = retryMsFirst; at < now; wait = Math.min(2 * wait, retryMsMax)) at += wait
  return at
}

function startRound(world: World, datacenter: DatacenterState): void {
  const { replication } = datacenter
  replication.isRoundQueued = false
  const loop = readyLoop(world, datacenter)
  if (loop === undefined) return
  if (loop === 'tokens' && datacenter.spec.replicationToken === 'read') {
    refuseToken(world, datacenter)
    return
  }
  replication.failingSinceMs = undefined
  replication.limiterMs = Math.max(replication.limiterMs, world.now) + world.model.replication.intervalMs
  const end = world.store.log.length
  const answerMs = linkDelayMs(world, datacenter, world.primary)
  const entries = loop === 'legacy' ? world.store.log.slice(replication.legacyCursor, end) : []
  const writes = entries.reduce((sum, entry) => sum + ('tokens' in entry ? size(entry.tokens) : 0), 0)
  replication.isRoundQueued = true
  world.queue.push(world.now + answerMs + writes * LEGACY_WRITE_MS, PHASE.work, () => {
    replication.isRoundQueued = false
    if (loopOf(world, datacenter) === loop) apply(world, datacenter, loop, end)
    queueRound(world, datacenter)
  })
}

/** With an acl:read token, secrets are redacted and the round fails: policies replicate, tokens do not. */
function refuseToken(world: World, datacenter: DatacenterState): void {
  const { replication } = datacenter
  const { readsWithoutSecrets } = world.model.replication
  for (const entry of world.store.log.slice(replication.cursor)) {
    if (readsWithoutSecrets && entry.kind === 'deleted') replication.copies.remove(entry.tokens)
  }
  replication.cursor = world.store.log.length
  replication.lastErrorMs = world.now
  replication.lastError = readsWithoutSecrets
    ? 'the replication token has acl:read only: policies replicate, tokens do not'
    : 'the replication token has acl:read only: nothing replicates'
  if (replication.isRefused) return
  replication.isRefused = true
  const { name } = datacenter.spec
  record(world, { kind: 'replication-failed', datacenter: name, detail: replication.lastError })
}

function apply(world: World, datacenter: DatacenterState, loop: 'legacy' | 'tokens', end: number): void {
  const { replication, spec } = datacenter
  replication.lastSuccessMs = world.now
  if (loop === 'legacy') {
    applyLegacy(replication, world.store.log.slice(replication.legacyCursor, end))
    replication.legacyCursor = Math.max(replication.legacyCursor, end)
    return
  }
  const { comparesSecrets } = world.model.replication
  applyTokens(replication, world.store.log.slice(replication.cursor, end), comparesSecrets)
  replication.cursor = end
  replication.rounds += 1
  const isDone = end === world.store.log.length && world.store.count('unmigrated') === 0
  if (isDone && comparesSecrets)
    replication.copies.remove(subtract(replication.copies.ranges, replication.migrated.ranges))
  const step = Math.ceil(world.store.total / ROUNDS_RECORDED)
  if (!isDone && replication.migrated.size - replication.recorded < step) return
  replication.recorded = replication.migrated.size
  record(world, {
    kind: 'replicated',
    datacenter: spec.name,
    type: 'tokens',
    migrated: replication.migrated.size,
    remaining: size(unmigratedIn(datacenter)),
    ghosts: replication.ghosts.size,
  })
}

function applyLegacy({ copies }: Replication, entries: readonly StoreChange[]): void {
  for (const entry of entries) {
    if (entry.kind === 'created') copies.add(entry.tokens)
    else if (entry.kind === 'deleted') copies.remove(entry.tokens)
    else if (entry.kind === 'restored') {
      copies.remove(copies.ranges)
      copies.add(entry.present)
    }
  }
}

/**
 * The new loop matches tokens by accessor. A deletion reaches a copy only if the copy got its accessor in an earlier
 * round; otherwise the copy is a ghost, unless copies are matched by secret at the end. A restore compares all tokens:
 * a copy with an accessor is deleted if its original has none.
 */
function applyTokens(
  { copies, migrated, ghosts }: Replication,
  entries: readonly StoreChange[],
  comparesSecrets: boolean,
): void {
  const fresh = new RangeSet()
  for (const entry of entries) {
    if (entry.kind === 'accessors') {
      const given = entry.spans.map((span): Range => [span.from, span.to])
      migrated.add(given)
      fresh.add(given)
    } else if (entry.kind === 'deleted') {
      const unreached = subtract(
        entry.tokens,
        subtract(migrated.within(entry.tokens), fresh.within(entry.tokens)),
      )
      if (comparesSecrets) copies.remove(migrated.within(entry.tokens))
      else {
        ghosts.add(copies.within(unreached))
        copies.remove(entry.tokens)
      }
      for (const set of [migrated, fresh]) set.remove(entry.tokens)
    } else if (entry.kind === 'restored') {
      const lost = subtract(migrated.ranges, entry.migrated)
      for (const set of [copies, migrated, fresh]) set.remove(lost)
      if (!comparesSecrets) {
        const gone = subtract(copies.ranges, entry.present)
        ghosts.add(gone)
        copies.remove(gone)
        ghosts.remove(entry.present)
      }
      migrated.add(entry.migrated)
    }
  }
}

export function migratedIn({ replication }: DatacenterState): RangeSet {
  return replication.isRefused ? new RangeSet() : replication.migrated
}

export function unmigratedIn(datacenter: DatacenterState): Ranges {
  const { replication } = datacenter
  return hasCopies(datacenter) ? subtract(replication.copies.ranges, migratedIn(datacenter).ranges) : []
}
