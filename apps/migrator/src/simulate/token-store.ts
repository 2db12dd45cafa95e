/**
 * The tokens of the primary, counted in ranges. A token is a number: its place in the order in which the migration
 * takes them. Only edited tokens are stored individually.
 */
import type { TokenGroup, TokenState, TokenType } from '../scenario/scenario.ts'
import type { AccessorSpan } from './history.ts'
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
  /** A client token with rules: its rights end with the legacy system, unless it is converted. */
  readonly hasLegacyRights: boolean
}

/** A batch as it was read: the tokens, and the revision of the store then. */
export interface BatchRead {
  readonly tokens: Ranges
  readonly revision: number
}

export class TokenStore {
  readonly log: StoreChange[] = []
  readonly #groups: PlacedGroup[] = []
  #total = 0
  #unmigrated: Range[] = []
  #deleted: Range[] = []
  #converted: Range[] = []
  #spans: AccessorSpan[] = []
  #migrated = 0
  /** Counts every write; a token's revision is the count at its last write. */
  #revision = 0
  readonly #writes = new Map<number, number>()

  constructor(groups: readonly TokenGroup[]) {
    for (const group of groups) this.#append(group)
    this.#unmigrated = this.#total === 0 ? [] : [[0, this.#total]]
  }

  get unmigrated(): Ranges {
    return this.#unmigrated
  }

  get unmigratedCount(): number {
    return size(this.#unmigrated)
  }

  get migratedCount(): number {
    return this.#migrated
  }

  /** Every token that ever existed. */
  get total(): number {
    return this.#total
  }

  /** Existing tokens, with and without accessor. */
  get present(): Ranges {
    return subtract(this.#total === 0 ? [] : [[0, this.#total]], this.#deleted)
  }

  get revision(): number {
    return this.#revision
  }

  get accessors(): readonly AccessorSpan[] {
    return this.#spans
  }

  /** Token to number of its last write. Edits only. */
  get writes(): ReadonlyMap<number, number> {
    return this.#writes
  }

  /** Reads the next batch: the first tokens without accessor. */
  read(tokensMax: number): BatchRead {
    return { tokens: slice(this.#unmigrated, tokensMax), revision: this.#revision }
  }

  /** Tokens of a batch that have another revision now than when it was read. */
  changedSince(batch: BatchRead): number[] {
    return [...this.#writes].flatMap(([token, write]) =>
      write > batch.revision && has(batch.tokens, token) ? [token] : [],
    )
  }

  /** Whether a token of the batch cannot be written. */
  hasUnwritable(batch: BatchRead): boolean {
    return this.#groups.some(
      (group) => group.unwritable && size(intersect(batch.tokens, [[group.from, group.to]])) > 0,
    )
  }

  /** Gives accessors, in order, from a number on. Tokens that are gone or have one already are passed over. */
  giveAccessors(tokens: Ranges, accessorFrom: number): Range[] {
    const given = intersect(tokens, this.#unmigrated)
    this.#writeAccessors(given, accessorFrom)
    return given
  }

  /** Gives accessors even where a token has one. No correct rule does this. */
  overwriteAccessors(tokens: Ranges, accessorFrom: number): Range[] {
    const given = subtract(tokens, this.#deleted)
    this.#spans = this.#spans.flatMap((span) =>
      subtract([[span.from, span.to]], given).map(([from, to]) => ({
        from,
        to,
        accessor: span.accessor + from - span.from,
      })),
    )
    this.#writeAccessors(given, accessorFrom)
    return given
  }

  /** Drops tokens from the remaining work. No correct rule does this. */
  forget(tokens: Ranges): void {
    this.#unmigrated = subtract(this.#unmigrated, tokens)
  }

  /** Sets a token back to an older write. No correct rule does this. */
  loseWrites(tokens: readonly number[]): void {
    for (const token of tokens) this.#writes.set(token, 0)
  }

  create(count: number, type: TokenType, rules: string | undefined): Range[] {
    const from = this.#total
    this.#append({ count, type, rules, unwritable: false })
    this.#revision += 1
    const tokens: Range[] = count === 0 ? [] : [[from, from + count]]
    this.#unmigrated = unite(this.#unmigrated, tokens)
    this.log.push({ kind: 'created', tokens })
    return tokens
  }

  /** @returns the number of the write. */
  edit(tokens: Ranges): number {
    this.#revision += 1
    for (const token of numbers(tokens)) this.#writes.set(token, this.#revision)
    this.log.push({ kind: 'edited', tokens })
    return this.#revision
  }

  delete(tokens: Ranges): void {
    this.#revision += 1
    this.#migrated -= size(intersect(tokens, this.migrated()))
    this.#unmigrated = subtract(this.#unmigrated, tokens)
    this.#deleted = unite(this.#deleted, tokens)
    for (const token of numbers(tokens)) this.#writes.delete(token)
    this.log.push({ kind: 'deleted', tokens })
  }

  /** Tokens that have an accessor. */
  migrated(): Range[] {
    return subtract(
      unite(
        this.#spans.map((span) => [span.from, span.to]),
        [],
      ),
      this.#deleted,
    )
  }

  /** Picks tokens by state, in order. */
  pick(state: TokenState, count: number, offset: number): Range[] {
    if (state === 'unmigrated') return slice(this.#unmigrated, count, offset)
    if (state === 'migrated') return slice(this.migrated(), count, offset)
    return slice(this.present, count, offset)
  }

  /** Tokens whose rights end with the legacy system. */
  withLegacyRights(): Range[] {
    const groups = this.#groups.filter((group) => group.hasLegacyRights)
    const all = unite(
      groups.map(({ from, to }): Range => [from, to]),
      [],
    )
    return subtract(intersect(all, this.present), this.#converted)
  }

  /** Tokens get a policy instead of their rules. */
  convert(tokens: Ranges): void {
    this.#converted = unite(this.#converted, tokens)
  }

  /** Filters tokens by type. */
  ofType(tokens: Ranges, type: TokenType): Range[] {
    const ranges = this.#groups
      .filter((group) => group.type === type)
      .map(({ from, to }): Range => [from, to])
    return intersect(tokens, unite(ranges, []))
  }

  #append({ count, type, rules, unwritable }: TokenGroup): void {
    const hasLegacyRights = type === 'client' && rules !== ''
    this.#groups.push({ from: this.#total, to: this.#total + count, type, unwritable, hasLegacyRights })
    this.#total += count
  }

  #writeAccessors(given: readonly Range[], accessorFrom: number): void {
    let accessor = accessorFrom
    const spans = given.map(([from, to]) => {
      const span = { from, to, accessor }
      accessor += to - from
      return span
    })
    this.#spans.push(...spans)
    this.#unmigrated = subtract(this.#unmigrated, given)
    this.#migrated += size(given)
    this.#revision += 1
    this.log.push({ kind: 'accessors', spans })
  }
}
