/**
 * The legacy tokens of the primary, stored as ranges. A token is a number: its position in the order of the migration.
 * Only edited tokens are stored individually.
 */
import { ACCESSOR_BATCH_SIZE_MAX, fromLegacyToken, hasLegacyRights } from '@latchkey/acl'
import type { TokenGroup, TokenState, TokenType } from '../../scenario/scenario.ts'
import type { AccessorSpan } from '../history.ts'
import type { UpgradeModel } from '../models/model.ts'
import { RangeSet } from './range-set.ts'
import { numbers, type Range, type Ranges, subtract } from './ranges.ts'

/** One entry of the log that secondaries follow. */
export type StoreChange =
  | { readonly kind: 'accessors'; readonly spans: readonly AccessorSpan[] }
  | { readonly kind: 'created' | 'edited' | 'deleted'; readonly tokens: Ranges }
  | { readonly kind: 'restored'; readonly present: Ranges; readonly migrated: Ranges }

/** A batch as it was read: the tokens, and the revision of the store at that time. */
export interface BatchRead {
  readonly tokens: Ranges
  readonly revision: number
}

/** The tokens that a client selects. */
interface TokenChoice {
  readonly state: TokenState
  readonly type: TokenType | undefined
  readonly count: number
  readonly offset: number
}

const SETS = [
  /** Existing tokens. */
  'present',
  /** Tokens that the migration still has to process. */
  'unmigrated',
  /** Existing tokens that have an accessor. */
  'migrated',
  'management',
  /** Tokens that cannot be written. */
  'unwritable',
  /** Tokens whose rights end with the legacy system. */
  'legacyRights',
  /** Tokens that the legacy API cannot change, because of a policy link or a write through the token API. */
  'locked',
] as const
type Sets = Readonly<Record<(typeof SETS)[number], RangeSet>>

/** The state of the store at one instant. */
export interface StoreSnapshot {
  readonly sets: Sets
  readonly spans: readonly AccessorSpan[]
  readonly writes: ReadonlyMap<number, number>
  readonly revision: number
}

const BLANK = { ID: '', Name: '', CreateIndex: 0, ModifyIndex: 0 }
/** Rules that a scenario does not specify are assumed to grant a right. */
const UNKNOWN_RULES = 'unknown'
/** Number of tokens from which a model chooses a batch: more than the size of any batch. */
const READ_AHEAD = 8 * ACCESSOR_BATCH_SIZE_MAX

export class TokenStore {
  readonly log: StoreChange[] = []
  private sets = setsOf(() => new RangeSet())
  private tokenCount = 0
  private spans: AccessorSpan[] = []
  /** Counts every write; a token's revision is the count at its last write. */
  private currentRevision = 0
  private writesByToken = new Map<number, number>()
  /** Every edit in order, to find tokens that changed after a batch was read. */
  private readonly edits: { readonly revision: number; readonly tokens: Ranges }[] = []

  constructor(groups: readonly TokenGroup[]) {
    for (const group of groups) this.append(group)
  }

  get unmigratedCount(): number {
    return this.sets.unmigrated.size
  }

  /** Every token that ever existed. */
  get total(): number {
    return this.tokenCount
  }

  get presentCount(): number {
    return this.sets.present.size
  }

  get migratedCount(): number {
    return this.sets.migrated.size
  }

  get legacyRightsCount(): number {
    return this.sets.legacyRights.size
  }

  get revision(): number {
    return this.currentRevision
  }

  get accessors(): readonly AccessorSpan[] {
    return this.spans
  }

  /** The last write of each edited token, by token number. */
  get writes(): ReadonlyMap<number, number> {
    return this.writesByToken
  }

  /** The given tokens that are in a set. */
  among(set: keyof Sets, tokens: Ranges): Range[] {
    return this.sets[set].within(tokens)
  }

  /** Existing tokens without an accessor, including those that a model forgot. */
  withoutAccessor(): Range[] {
    return subtract(this.sets.present.ranges, this.sets.migrated.ranges)
  }

  /** Reads the next batch, which the model chooses from the tokens without an accessor. */
  read(nextBatch: UpgradeModel['nextBatch']): BatchRead {
    return { tokens: nextBatch(this.sets.unmigrated.slice(READ_AHEAD)), revision: this.currentRevision }
  }

  /** Tokens of a batch that have changed since it was read. */
  changedSince(batch: BatchRead): number[] {
    const changed = new Set<number>()
    const read = new RangeSet(batch.tokens)
    for (let i = this.edits.length - 1; i >= 0; i--) {
      const edit = this.edits[i]
      if (edit === undefined || edit.revision <= batch.revision) break
      for (const token of numbers(read.within(edit.tokens))) {
        if ((this.writesByToken.get(token) ?? 0) > batch.revision) changed.add(token)
      }
    }
    return [...changed]
  }

  /** Whether a token of the batch cannot be written. */
  hasUnwritable(batch: BatchRead): boolean {
    return this.sets.unwritable.size > 0 && this.sets.unwritable.within(batch.tokens).length > 0
  }

  /** Assigns consecutive accessors from a number on, skipping tokens that were deleted or already have one. */
  giveAccessors(tokens: Ranges, accessorFrom: number): Range[] {
    const given = this.sets.unmigrated.within(tokens)
    this.writeAccessors(given, accessorFrom)
    return given
  }

  /** Assigns accessors even to tokens that have one. Only for seeded bugs. */
  overwriteAccessors(tokens: Ranges, accessorFrom: number): Range[] {
    const given = this.sets.present.within(tokens)
    this.spans = this.spans.flatMap((span) =>
      subtract([[span.from, span.to]], given).map(([from, to]) => ({
        from,
        to,
        accessor: span.accessor + from - span.from,
      })),
    )
    this.writeAccessors(given, accessorFrom)
    return given
  }

  /** Drops tokens from the remaining work. Only for seeded bugs. */
  forget(tokens: Ranges): void {
    this.sets.unmigrated.remove(tokens)
  }

  /** Reverts a token to an older write. Only for seeded bugs. */
  loseWrites(tokens: readonly number[]): void {
    for (const token of tokens) this.writesByToken.set(token, 0)
  }

  create(count: number, type: TokenType, rules: string | undefined): Range[] {
    const tokens = this.append({ count, type, rules, unwritable: false })
    this.currentRevision += 1
    this.log.push({ kind: 'created', tokens })
    return tokens
  }

  /**
   * An edit through the legacy API.
   *
   * @param becomes the new type. A management token that the migration does not link has rights only from its type.
   * @returns the number of the write.
   */
  edit(tokens: Ranges, becomes: TokenType | undefined): number {
    const { management, legacyRights, migrated } = this.sets
    if (becomes === 'management') {
      management.add(tokens)
      legacyRights.remove(tokens)
      legacyRights.add(migrated.within(tokens))
    } else if (becomes === 'client') {
      legacyRights.add(management.within(tokens))
      management.remove(tokens)
    }
    return this.write(tokens)
  }

  /** An edit through the token API, which removes rules and type if the body does not have them. */
  editAsNew(tokens: Ranges): number {
    this.sets.legacyRights.remove(tokens)
    this.sets.locked.add(tokens)
    return this.write(tokens)
  }

  delete(tokens: Ranges): void {
    this.currentRevision += 1
    for (const set of Object.values(this.sets)) set.remove(tokens)
    for (const token of numbers(tokens)) this.writesByToken.delete(token)
    this.log.push({ kind: 'deleted', tokens })
  }

  /** Picks tokens in order. */
  pick({ state, type, count, offset }: TokenChoice): Range[] {
    const { present, unmigrated, migrated, management } = this.sets
    const set = { any: present, unmigrated, migrated }[state]
    if (type === undefined) return set.slice(count, offset)
    const ofType =
      type === 'management' ? management.within(set.ranges) : subtract(set.ranges, management.ranges)
    return new RangeSet(ofType).slice(count, offset)
  }

  /** Client tokens with an accessor and with rules that were not converted. */
  convertible(): Range[] {
    return subtract(subtract(this.sets.migrated.ranges, this.sets.management.ranges), this.sets.locked.ranges)
  }

  /** Replaces the rules of tokens by a policy. */
  convert(tokens: Ranges): void {
    this.sets.legacyRights.remove(tokens)
    this.sets.locked.add(tokens)
  }

  snapshot(): StoreSnapshot {
    return {
      sets: setsOf((name) => this.sets[name].clone()),
      spans: [...this.spans],
      writes: new Map(this.writesByToken),
      revision: this.currentRevision,
    }
  }

  /** Returns to a snapshot. Numbers of tokens and writes are never reused. */
  restore({ sets, spans, writes }: StoreSnapshot): void {
    this.sets = setsOf((name) => sets[name].clone())
    this.spans = [...spans]
    this.writesByToken = new Map(writes)
    this.currentRevision += 1
    this.log.push({
      kind: 'restored',
      present: this.sets.present.ranges,
      migrated: this.sets.migrated.ranges,
    })
  }

  private write(tokens: Ranges): number {
    this.currentRevision += 1
    for (const token of numbers(tokens)) this.writesByToken.set(token, this.currentRevision)
    this.edits.push({ revision: this.currentRevision, tokens })
    this.log.push({ kind: 'edited', tokens })
    return this.currentRevision
  }

  private append({ count, type, rules, unwritable }: TokenGroup): Range[] {
    if (count === 0) return []
    const tokens: Range[] = [[this.tokenCount, this.tokenCount + count]]
    this.tokenCount += count
    this.sets.present.add(tokens)
    this.sets.unmigrated.add(tokens)
    if (type === 'management') this.sets.management.add(tokens)
    if (unwritable) this.sets.unwritable.add(tokens)
    const record = fromLegacyToken({ ...BLANK, Type: type, Rules: rules ?? UNKNOWN_RULES })
    if (hasLegacyRights(record)) this.sets.legacyRights.add(tokens)
    return tokens
  }

  private writeAccessors(given: readonly Range[], accessorFrom: number): void {
    let accessor = accessorFrom
    const spans = given.map(([from, to]) => {
      const span = { from, to, accessor }
      accessor += to - from
      return span
    })
    const { unmigrated, migrated, management, locked } = this.sets
    this.spans.push(...spans)
    unmigrated.remove(given)
    migrated.add(given)
    locked.add(management.within(given))
    this.currentRevision += 1
    this.log.push({ kind: 'accessors', spans })
  }
}

function setsOf(make: (name: (typeof SETS)[number]) => RangeSet): Sets {
  return Object.fromEntries(SETS.map((name) => [name, make(name)])) as Record<(typeof SETS)[number], RangeSet>
}
