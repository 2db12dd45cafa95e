/**
 * A primary and a secondary in memory, with random histories of both. After every commit of the secondary, its global records
 * must equal the primary's at the index of its cursor, and its own records must be as it wrote them.
 */

import type { AclModeRecord, ReplicationRecord } from '@latchkey/acl'
import type { Change, ChangesSource, MemorySnapshot, ReplicationStep } from '@latchkey/service'
import { MemoryStore, Replicator, StoreConflict } from '@latchkey/service'
import { SeededRandom } from '../random.ts'
import { putOf } from '../records/changes.ts'
import { aWorld, START, type World } from '../service/world.ts'
import { checkGlobals, checkOwn, ModelBroken } from './compare.ts'
import { FaultySource } from './faulty-source.ts'
import type { Plant } from './plants.ts'
import { RandomWrites, SECRETS } from './random-writes.ts'

const NEVER = new AbortController().signal
const AT_ONCE = { next: () => Promise.resolve() }
const WORLD = { edition: 'extended', turns: AT_ONCE } as const
const QUESTIONS = [
  { Resource: 'key', Segment: 'a/b', Access: 'write' },
  { Resource: 'key', Segment: 'b', Access: 'write' },
  { Resource: 'service', Segment: 'web', Access: 'read' },
  { Resource: 'acl', Access: 'write' },
]
const STEPS_TO_SETTLE = 60

export class ReplicationModel {
  readonly random: SeededRandom
  primary: World
  readonly store: MemoryStore
  private readonly plant: Plant
  private readonly source: FaultySource
  private readonly writes: RandomWrites
  private readonly secondary: World
  /** Answers questions as the primary would have at an index. */
  private readonly past: World
  private replicator: Replicator
  /** Snapshots of the primary by cluster, restore and index. */
  private readonly history = new Map<string, MemorySnapshot>()
  /** Earlier snapshots, to restore. */
  private backups: MemorySnapshot[] = []
  private restores = 0
  /** The restore that the secondary has noticed: its cursor belongs to it. */
  private noticed = 0
  private lastRecord: ReplicationRecord | undefined
  private own: MemorySnapshot
  private readonly zombies: { readonly release: () => void; readonly done: Promise<ReplicationStep> }[] = []
  /** Number of the secondary's commits that were checked. */
  checked = 0

  private constructor(parts: {
    random: SeededRandom
    primary: World
    past: World
    plant: Plant
    store: MemoryStore
    secondary: World
  }) {
    this.random = parts.random
    this.primary = parts.primary
    this.past = parts.past
    this.plant = parts.plant
    this.store = parts.store
    this.secondary = parts.secondary
    this.own = this.store.snapshot()
    this.source = new FaultySource(this.primary, this.random, this.plant.garble?.())
    this.writes = new RandomWrites(this.random, () => this.primary.clock.now())
    this.replicator = this.newReplicator()
    this.watchPrimary()
  }

  static async create(seed: number, plant: Plant = {}): Promise<ReplicationModel> {
    const random = new SeededRandom(seed)
    const primary = await aWorld({ ...WORLD, seed: random.below(2 ** 31) })
    const { clock } = primary
    const store = new MemoryStore(clock)
    const enabled: AclModeRecord = { mode: 'enabled', since: START }
    store.commitNow([putOf('system', { Key: 'acl-mode', Value: enabled, CreateIndex: 0, ModifyIndex: 0 }, 0)])
    const at = (of: MemoryStore) => aWorld({ ...WORLD, datacenter: 'dc2', twinOf: { ...primary, store: of } })
    const secondary = await at(store)
    const past = await at(new MemoryStore(clock))
    return new ReplicationModel({ random, primary, past, plant, store, secondary })
  }

  /** Runs some commands, lets the secondary catch up, and compares everything. */
  async run(commands: number): Promise<void> {
    for (let i = 0; i < commands; i += 1) await this.command()
    await this.settle()
  }

  private async command(): Promise<void> {
    const { random } = this
    this.source.faultiness = random.pick([0, 0, 0.2])
    const command = random.weighted<() => Promise<void> | void>([
      [20, () => this.writePrimary()],
      [6, () => this.writeOwn()],
      [14, () => this.step()],
      [3, () => this.ask()],
      [2, () => this.restart()],
      [2, () => this.beginZombie()],
      [2, () => this.endZombie()],
      [1, () => this.forgetLog()],
      [1, () => this.restoreOlder()],
      [0.4, () => this.rebuild()],
      [1, () => this.accept()],
      [4, () => this.primary.clock.advance(random.below(1_200_000))],
    ])
    await command()
  }

  private newReplicator(source: ChangesSource = this.source): Replicator {
    const { clock } = this.primary
    return new Replicator({
      store: this.watched(),
      source,
      clock,
      sleeper: clock,
      random: this.random,
      primaryDatacenter: 'dc1',
      kinds: 'all',
      // With few of them, larger copies need consent.
      copyLimits: { recordsMax: this.random.pick([5, 100_000]), lengthMax: 1_000_000 },
    })
  }

  /** The secondary's store, as the replicator sees it: every commit is checked. */
  private watched(): MemoryStore {
    const commit = async (changes: readonly Change[]): Promise<number> => {
      const commits = this.plant.commit?.(changes) ?? [changes]
      for (const some of commits) {
        this.store.commitNow(some)
        this.check()
      }
      return this.store.commitIndex()
    }
    return new Proxy(this.store, {
      get: (store, name) => {
        if (name === 'commit') return commit
        const value: unknown = Reflect.get(store, name, store)
        return typeof value === 'function' ? value.bind(store) : value
      },
    })
  }

  /** Keeps the primary's state at each index, and answers in small parts. */
  private watchPrimary(): void {
    const { store } = this.primary
    const changesAfter = store.changesAfter.bind(store)
    store.changesAfter = (index, parts) =>
      changesAfter(index, parts && { recordsMax: this.random.pick([2, 5, 1_000]) })
    this.source.primary = this.primary
    this.keep()
  }

  private keep(): void {
    const { store } = this.primary
    const snapshot = store.snapshot()
    this.history.set(this.keyOf(this.clusterOfPrimary(), this.restores, store.commitIndex()), snapshot)
    if (this.random.chance(0.1)) this.backups.push(snapshot)
  }

  private keyOf(cluster: string, restores: number, index: number): string {
    return `${cluster}/${restores}/${index}`
  }

  private clusterOfPrimary(): string {
    const record = this.primary.store.directory().system('cluster')
    return record ? record.Value.ID : ''
  }

  private writePrimary(): void {
    const { store } = this.primary
    if (this.wouldHideRestore(store)) return
    tryCommit(store, this.writes.ofPrimary(store))
    this.keep()
  }

  /** Whether a reader could not notice that the primary went back, because its index has grown past the reader's. Decisions: changes. */
  private wouldHideRestore(store: MemoryStore): boolean {
    const isNoticed = this.noticed === this.restores
    return !isNoticed && store.commitIndex() + 1 >= (this.lastRecord?.index ?? 0)
  }

  private writeOwn(): void {
    tryCommit(this.store, this.writes.ofSecondary(this.store))
    this.own = this.store.snapshot()
    this.check()
  }

  private async step(): Promise<void> {
    const { outcome, error, mended } = await this.replicator.step(NEVER)
    if (error instanceof ModelBroken) throw error
    if (mended && Object.values(mended).some((count) => count > 0))
      throw new ModelBroken('something was mended')
    if (outcome === 'failed' && error instanceof TypeError) throw error
  }

  private restart(): void {
    this.replicator = this.newReplicator()
  }

  /** Another process that also replicates, and pauses after its request. */
  private beginZombie(): void {
    if (this.zombies.length > 1) return
    const { source, release } = this.source.held()
    this.zombies.push({ release, done: this.newReplicator(source).step(NEVER) })
  }

  private async endZombie(): Promise<void> {
    const zombie = this.zombies.shift()
    zombie?.release()
    const step = await zombie?.done
    if (step?.error instanceof ModelBroken) throw step.error
  }

  /** The primary loses its change log. */
  private forgetLog(): void {
    const { store } = this.primary
    if (this.wouldHideRestore(store)) return
    store.restore(store.snapshot())
    this.keep()
  }

  /** Restores an older state of the primary, with a lower index. A reader must be able to notice: see {@link wouldHideRestore}. */
  private async restoreOlder(): Promise<void> {
    const backup = this.backups[0]
    // A reader cannot notice while its cursor belongs to another cluster or a copy is running.
    const isFollowed = this.lastRecord?.cluster === this.clusterOfPrimary()
    if (!isFollowed || this.replicator.status().state !== 'following') return
    if (!backup || this.noticed !== this.restores || this.zombies.length > 0 || this.lastRecord?.isPartial)
      return
    this.backups = []
    const store = new MemoryStore(this.primary.clock)
    store.restore(backup)
    if (store.commitIndex() + 1 >= (this.lastRecord?.index ?? 0)) return
    this.restores += 1
    this.primary = await aWorld({ ...WORLD, twinOf: { ...this.primary, store } })
    this.watchPrimary()
  }

  /** Replaces the primary with an empty one. */
  private async rebuild(): Promise<void> {
    if (this.noticed !== this.restores || this.zombies.length > 0) return
    this.backups = []
    const store = new MemoryStore(this.primary.clock)
    const fresh = await aWorld({
      ...WORLD,
      seed: this.random.below(2 ** 31),
      startAt: this.primary.clock.now(),
    })
    store.restore(fresh.store.snapshot())
    this.primary = await aWorld({ ...WORLD, twinOf: { ...this.primary, store } })
    this.watchPrimary()
  }

  private accept(): void {
    const stored = this.store.directory().system('replication')
    if (!stored) return
    const Value = { ...stored.Value, accepted: this.clusterOfPrimary() }
    this.store.commitNow([putOf('system', { ...stored, Value }, stored.ModifyIndex)])
    this.lastRecord = Value
  }

  /** Requires that global tokens decide here as they did in the primary with the same records. */
  private async ask(): Promise<void> {
    const record = this.lastRecord
    const snapshot = record && this.snapshotOf(record)
    if (!record || !snapshot) return
    this.past.store.restore(snapshot)
    const token = this.random.pick(SECRETS)
    const here = await this.store.tokenBySecret(token)
    const there = await this.past.store.tokenBySecret(token)
    const isAside = record.skipped.some(({ accessorId }) => accessorId === there?.AccessorID)
    if (here?.Local || there?.Local || isAside) return
    const answers = await Promise.all(
      [this.secondary, this.past].map((world) =>
        world.ask('POST', '/internal/acl/authorize', { token, body: QUESTIONS }),
      ),
    )
    const [ours, theirs] = answers.map(({ status, text }) => `${status} ${text}`)
    if (ours !== theirs) throw new ModelBroken(`a token decides otherwise: ${ours} instead of ${theirs}`)
  }

  /** Without further faults, the secondary catches up with the primary. */
  private async settle(): Promise<void> {
    this.source.faultiness = 0
    while (this.zombies.length > 0) await this.endZombie()
    const outcomes: string[] = []
    for (let i = 0; i < STEPS_TO_SETTLE; i += 1) {
      const { outcome, error } = await this.replicator.step(NEVER)
      if (error instanceof ModelBroken) throw error
      outcomes.push(error instanceof Error ? `${outcome}: ${error.message}` : outcome)
      if (outcome === 'paused') this.accept()
      if (outcome === 'unchanged' && this.lastRecord?.index === this.primary.store.commitIndex()) {
        await this.ask()
        return
      }
    }
    throw new ModelBroken(`it does not come to rest: ${outcomes.slice(-8).join('; ')}`)
  }

  private snapshotOf({ cluster, index }: ReplicationRecord): MemorySnapshot | undefined {
    if (index === 0) return undefined
    return this.history.get(this.keyOf(cluster, this.noticed, index))
  }

  /** @throws ModelBroken */
  private check(): void {
    this.checked += 1
    const record = this.store.directory().system('replication')?.Value
    const now = this.store.snapshot()
    checkOwn(now, this.own)
    if (!record) return
    this.checkCursor(record)
    this.lastRecord = record
    if (record.index === 0) return
    const then = this.snapshotOf(record)
    if (!then) throw new ModelBroken(`the primary was never at index ${record.index}`)
    checkGlobals(record, now, then)
  }

  /** The index never decreases, unless the primary's does or an operator wants it. */
  private checkCursor(record: ReplicationRecord): void {
    const before = this.lastRecord
    const isOther = before?.cluster !== record.cluster
    if (isOther && before !== undefined && before.index > 0 && before.accepted !== record.cluster) {
      throw new ModelBroken('no operator accepted the other cluster')
    }
    const isBack = !isOther && before !== undefined && record.index < before.index
    const startsOver = record.isPartial === true && before?.accepted === record.cluster
    if (isBack && !startsOver && this.noticed === this.restores) {
      throw new ModelBroken(`the index went back from ${before.index} to ${record.index}`)
    }
    if (isOther || (before !== undefined && record.index < before.index)) this.noticed = this.restores
    if (before === undefined) this.noticed = this.restores
  }
}

function tryCommit(store: MemoryStore, changes: readonly Change[]): void {
  if (changes.length === 0) return
  try {
    store.commitNow(changes)
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
  }
}
