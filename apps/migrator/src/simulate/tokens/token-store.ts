/** The legacy tokens of the primary as ranges of numbers, which are their places in the migration. */
import { ACCESSOR_BATCH_SIZE_MAX, fromLegacyToken, hasLegacyRights } from '@latchkey/acl'
import type { ScenarioEventOf, TokenGroup, TokenType } from '../../scenario/scenario.ts'
import type { AccessorSpan } from '../history.ts'
import type { UpgradeModel } from '../models/model.ts'
import { numbers, type Range, RangeSet, type Ranges, size, subtract } from './ranges.ts'

export type StoreChange =
  | { readonly kind: 'accessors'; readonly spans: readonly AccessorSpan[] }
  | { readonly kind: 'created' | 'edited' | 'deleted'; readonly tokens: Ranges }
  | { readonly kind: 'restored'; readonly present: Ranges; readonly migrated: Ranges }

/** What an edit through the legacy API changes besides the name. */
export interface TokenChange {
  readonly becomes?: TokenType | undefined
  /** Of the client tokens among them. */
  readonly rules?: string | undefined
}

/** A batch as it was read: the tokens, and the revision of the store at that time. */
export interface BatchRead {
  readonly tokens: Ranges
  readonly revision: number
}

const SETS = [
  'present',
  'unmigrated',
  'migrated',
  'management',
  'unwritable',
  'legacyRights',
  /** Tokens that the legacy API cannot change, because of a policy link or a write through the token API. */
  'locked',
] as const
type Sets = Readonly<Record<(typeof SETS)[number], RangeSet>>

export interface StoreSnapshot {
  readonly sets: Sets
  readonly spans: readonly AccessorSpan[]
  readonly writes: ReadonlyMap<number, number>
  readonly revision: number
}

const BLANK = { ID: '', Name: '', CreateIndex: 0, ModifyIndex: 0 }
/** Rules that a scenario does not specify are assumed to grant a right. */
const UNKNOWN_RULES = 'unknown'
const READ_AHEAD = 8 * ACCESSOR_BATCH_SIZE_MAX

export class TokenStore {
  readonly log: StoreChange[] = []
  /** Number of tokens that ever existed. */
  total = 0
  /** Counts every write; a token's revision is the count at its last write. */
  revision = 0
  accessors: AccessorSpan[] = []
  writes = new Map<number, number>()
  private sets = setsOf(() => new RangeSet())

  constructor(groups: readonly TokenGroup[]) {
    for (const group of groups) this.append(group)
  }

  count(set: keyof Sets): number {
    return this.sets[set].size
  }

  /** Tokens whose rights end with the legacy system, and those of them that are management tokens without a link. */
  endingRights(): { readonly legacyRights: number; readonly unlinked: number } {
    const { legacyRights, management } = this.sets
    return { legacyRights: legacyRights.size, unlinked: size(management.within(legacyRights.ranges)) }
  }

  all(set: keyof Sets): Range[] {
    return this.sets[set].ranges
  }

  among(set: keyof Sets, tokens: Ranges): Range[] {
    return this.sets[set].within(tokens)
  }

  read(nextBatch: UpgradeModel['nextBatch']): BatchRead {
    return { tokens: nextBatch(this.sets.unmigrated.slice(READ_AHEAD)), revision: this.revision }
  }

  changedSince(batch: BatchRead): Range[] {
    if (this.revision === batch.revision) return []
    return [...numbers(batch.tokens)].flatMap((token): Range[] =>
      (this.writes.get(token) ?? 0) > batch.revision ? [[token, token + 1]] : [],
    )
  }

  hasUnwritable(batch: BatchRead): boolean {
    return this.sets.unwritable.size > 0 && this.sets.unwritable.within(batch.tokens).length > 0
  }

  giveAccessors(tokens: Ranges, accessorFrom: number): Range[] {
    const given = this.sets.unmigrated.within(tokens)
    this.writeAccessors(given, accessorFrom)
    return given
  }

  create(count: number, type: TokenType, rules: string | undefined): Range[] {
    const tokens = this.append({ count, type, rules, unwritable: false })
    this.revision += 1
    this.log.push({ kind: 'created', tokens })
    return tokens
  }

  /** A management token that the migration has passed is not linked: its rights are of its type alone. */
  edit(tokens: Ranges, { becomes, rules }: TokenChange): number {
    const { management, legacyRights, migrated } = this.sets
    if (becomes === 'management') {
      management.add(tokens)
      legacyRights.remove(tokens)
      legacyRights.add(migrated.within(tokens))
    } else if (becomes === 'client') {
      legacyRights.add(management.within(tokens))
      management.remove(tokens)
    }
    if (rules !== undefined) {
      const clients = subtract(tokens, management.ranges)
      if (hasLegacyRights(fromLegacyToken({ ...BLANK, Type: 'client', Rules: rules })))
        legacyRights.add(clients)
      else legacyRights.remove(clients)
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
    this.revision += 1
    for (const set of Object.values(this.sets)) set.remove(tokens)
    for (const token of numbers(tokens)) this.writes.delete(token)
    this.log.push({ kind: 'deleted', tokens })
  }

  pick({ state, type, count, offset }: ScenarioEventOf<'edit-tokens' | 'delete-tokens'>): Range[] {
    const { present, unmigrated, migrated, management } = this.sets
    const set = { any: present, unmigrated, migrated }[state]
    if (type === undefined) return set.slice(count, offset)
    const ofType =
      type === 'management' ? management.within(set.ranges) : subtract(set.ranges, management.ranges)
    return new RangeSet(ofType).slice(count, offset)
  }

  convertible(): Range[] {
    return subtract(subtract(this.sets.migrated.ranges, this.sets.management.ranges), this.sets.locked.ranges)
  }

  convert(tokens: Ranges): void {
    this.sets.legacyRights.remove(tokens)
    this.sets.locked.add(tokens)
  }

  snapshot(): StoreSnapshot {
    return {
      sets: setsOf((name) => new RangeSet(this.sets[name].ranges)),
      spans: [...this.accessors],
      writes: new Map(this.writes),
      revision: this.revision,
    }
  }

  /** Returns to a snapshot. Numbers of tokens and writes are never reused. */
  restore({ sets, spans, writes }: StoreSnapshot): void {
    this.sets = setsOf((name) => new RangeSet(sets[name].ranges))
    this.accessors = [...spans]
    this.writes = new Map(writes)
    this.revision += 1
    this.log.push({
      kind: 'restored',
      present: this.sets.present.ranges,
      migrated: this.sets.migrated.ranges,
    })
  }

  private write(tokens: Ranges): number {
    this.revision += 1
    for (const token of numbers(tokens)) this.writes.set(token, this.revision)
    this.log.push({ kind: 'edited', tokens })
    return this.revision
  }

  private append({ count, type, rules, unwritable }: TokenGroup): Range[] {
    if (count === 0) return []
    const tokens: Range[] = [[this.total, this.total + count]]
    this.total += count
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
    this.accessors.push(...spans)
    unmigrated.remove(given)
    migrated.add(given)
    locked.add(management.within(given))
    this.revision += 1
    this.log.push({ kind: 'accessors', spans })
  }
}

function setsOf(make: (name: (typeof SETS)[number]) => RangeSet): Sets {
  return Object.fromEntries(SETS.map((name) => [name, make(name)])) as Record<(typeof SETS)[number], RangeSet>
}
