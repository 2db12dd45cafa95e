/**
 * The tokens of the primary, counted in ranges. A token is a number: its place in the order in which the migration
 * takes them. Only edited tokens are stored individually.
 */
import { fromLegacyToken, hasLegacyRights } from '@latchkey/acl'
import type { TokenGroup, TokenState, TokenType } from '../scenario/scenario.ts'
import type { AccessorSpan } from './history.ts'
import type { UpgradeModel } from './model.ts'
import { has, intersect, numbers, type Range, type Ranges, size, slice, subtract, unite } from './ranges.ts'

/** One entry of the log that secondaries follow. */
export type StoreChange =
  | { readonly kind: 'accessors'; readonly spans: readonly AccessorSpan[] }
  | { readonly kind: 'created' | 'edited' | 'deleted'; readonly tokens: Ranges }

interface PlacedGroup {
  readonly from: number
  readonly to: number
  readonly type: TokenType
  readonly unwritable: boolean
  /** Its rights end with the legacy system, unless it is converted. */
  readonly hasLegacyRights: boolean
}

/** A batch as it was read: the tokens, and the revision of the store then. */
export interface BatchRead {
  readonly tokens: Ranges
  readonly revision: number
}

const BLANK = { ID: '', Name: '', CreateIndex: 0, ModifyIndex: 0 }
/** Rules that a scenario leaves open are assumed to grant something. */
const UNKNOWN_RULES = 'unknown'

export class TokenStore {
  readonly log: StoreChange[] = []
  private readonly groups: PlacedGroup[] = []
  private tokenCount = 0
  private unmigratedRanges: Range[] = []
  private deleted: Range[] = []
  private converted: Range[] = []
  private spans: AccessorSpan[] = []
  private accessorCount = 0
  /** Counts every write; a token's revision is the count at its last write. */
  private currentRevision = 0
  private readonly writesByToken = new Map<number, number>()

  constructor(groups: readonly TokenGroup[]) {
    for (const group of groups) this.append(group)
    this.unmigratedRanges = this.tokenCount === 0 ? [] : [[0, this.tokenCount]]
  }

  get unmigrated(): Ranges {
    return this.unmigratedRanges
  }

  get unmigratedCount(): number {
    return size(this.unmigratedRanges)
  }

  get migratedCount(): number {
    return this.accessorCount
  }

  /** Every token that ever existed. */
  get total(): number {
    return this.tokenCount
  }

  /** Existing tokens, with and without accessor. */
  get present(): Ranges {
    return subtract(this.tokenCount === 0 ? [] : [[0, this.tokenCount]], this.deleted)
  }

  get revision(): number {
    return this.currentRevision
  }

  get accessors(): readonly AccessorSpan[] {
    return this.spans
  }

  /** Token to number of its last write. Edits only. */
  get writes(): ReadonlyMap<number, number> {
    return this.writesByToken
  }

  /** Reads the next batch of the tokens without accessor, which a rule chooses. */
  read(nextBatch: UpgradeModel['nextBatch']): BatchRead {
    return { tokens: nextBatch(this.unmigratedRanges), revision: this.currentRevision }
  }

  /** Tokens of a batch that have another revision now than when it was read. */
  changedSince(batch: BatchRead): number[] {
    return [...this.writesByToken].flatMap(([token, write]) =>
      write > batch.revision && has(batch.tokens, token) ? [token] : [],
    )
  }

  /** Whether a token of the batch cannot be written. */
  hasUnwritable(batch: BatchRead): boolean {
    return this.groups.some(
      (group) => group.unwritable && size(intersect(batch.tokens, [[group.from, group.to]])) > 0,
    )
  }

  /** Gives accessors, in order, from a number on. Tokens that are gone or have one already are passed over. */
  giveAccessors(tokens: Ranges, accessorFrom: number): Range[] {
    const given = intersect(tokens, this.unmigratedRanges)
    this.writeAccessors(given, accessorFrom)
    return given
  }

  /** Gives accessors even where a token has one. No correct rule does this. */
  overwriteAccessors(tokens: Ranges, accessorFrom: number): Range[] {
    const given = subtract(tokens, this.deleted)
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

  /** Drops tokens from the remaining work. No correct rule does this. */
  forget(tokens: Ranges): void {
    this.unmigratedRanges = subtract(this.unmigratedRanges, tokens)
  }

  /** Sets a token back to an older write. No correct rule does this. */
  loseWrites(tokens: readonly number[]): void {
    for (const token of tokens) this.writesByToken.set(token, 0)
  }

  create(count: number, type: TokenType, rules: string | undefined): Range[] {
    const from = this.tokenCount
    this.append({ count, type, rules, unwritable: false })
    this.currentRevision += 1
    const tokens: Range[] = count === 0 ? [] : [[from, from + count]]
    this.unmigratedRanges = unite(this.unmigratedRanges, tokens)
    this.log.push({ kind: 'created', tokens })
    return tokens
  }

  /** @returns the number of the write. */
  edit(tokens: Ranges): number {
    this.currentRevision += 1
    for (const token of numbers(tokens)) this.writesByToken.set(token, this.currentRevision)
    this.log.push({ kind: 'edited', tokens })
    return this.currentRevision
  }

  delete(tokens: Ranges): void {
    this.currentRevision += 1
    this.accessorCount -= size(intersect(tokens, this.migrated()))
    this.unmigratedRanges = subtract(this.unmigratedRanges, tokens)
    this.deleted = unite(this.deleted, tokens)
    for (const token of numbers(tokens)) this.writesByToken.delete(token)
    this.log.push({ kind: 'deleted', tokens })
  }

  /** Tokens that have an accessor. */
  migrated(): Range[] {
    return subtract(
      unite(
        this.spans.map((span) => [span.from, span.to]),
        [],
      ),
      this.deleted,
    )
  }

  /** Picks tokens by state, in order. */
  pick(state: TokenState, count: number, offset: number): Range[] {
    if (state === 'unmigrated') return slice(this.unmigratedRanges, count, offset)
    if (state === 'migrated') return slice(this.migrated(), count, offset)
    return slice(this.present, count, offset)
  }

  /** Tokens whose rights end with the legacy system. */
  withLegacyRights(): Range[] {
    const groups = this.groups.filter((group) => group.hasLegacyRights)
    const all = unite(
      groups.map(({ from, to }): Range => [from, to]),
      [],
    )
    return subtract(intersect(all, this.present), this.converted)
  }

  /** Tokens get a policy instead of their rules. */
  convert(tokens: Ranges): void {
    this.converted = unite(this.converted, tokens)
  }

  /** Filters tokens by type. */
  ofType(tokens: Ranges, type: TokenType): Range[] {
    const ranges = this.groups.filter((group) => group.type === type).map(({ from, to }): Range => [from, to])
    return intersect(tokens, unite(ranges, []))
  }

  private append({ count, type, rules, unwritable }: TokenGroup): void {
    this.groups.push({
      from: this.tokenCount,
      to: this.tokenCount + count,
      type,
      unwritable,
      hasLegacyRights: hasLegacyRights(
        fromLegacyToken({ ...BLANK, Type: type, Rules: rules ?? UNKNOWN_RULES }),
      ),
    })
    this.tokenCount += count
  }

  private writeAccessors(given: readonly Range[], accessorFrom: number): void {
    let accessor = accessorFrom
    const spans = given.map(([from, to]) => {
      const span = { from, to, accessor }
      accessor += to - from
      return span
    })
    this.spans.push(...spans)
    this.unmigratedRanges = subtract(this.unmigratedRanges, given)
    this.accessorCount += size(given)
    this.currentRevision += 1
    this.log.push({ kind: 'accessors', spans })
  }
}
