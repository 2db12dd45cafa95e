/**
 * Several processes that all believe that they are the leader, on one store with a virtual clock, driven by a schedule. Each
 * works step by step and can be killed between any two steps, while users create, edit and delete legacy tokens. Records
 * the commits for the checks.
 */
import type { TokenRecord } from '@latchkey/acl'
import {
  convertForMigration,
  type MigrationRecord,
  NO_BATCHES,
  nextBatchAt,
  type PlannedAccessor,
  planBatch,
  recordBatch,
  writeLegacyToken,
} from '@latchkey/acl'
import { SeededRandom } from '../random.ts'
import { anUnmigratedToken } from './builders.ts'

export const PROCESSES = [0, 1, 2] as const

export type MigrationStep =
  /** One step of a process: read and plan, or commit the plan. */
  | { readonly kind: 'work' | 'kill'; readonly process: number }
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'create'; readonly count: number }
  /** Users pick a token by number, modulo the number of tokens. */
  | { readonly kind: 'edit' | 'delete'; readonly token: number }

/** A batch, as in the store's log. */
export interface CommittedBatch {
  readonly at: number
  readonly tokens: readonly TokenRecord[]
}

interface Plan {
  readonly accessors: readonly PlannedAccessor[]
  /** Version of the migration record on which the plan is based. */
  readonly recordVersion: number
}

export class MigrationWorld {
  readonly batches: CommittedBatch[] = []
  /** The last writes of users, by secret. */
  readonly descriptions = new Map<string, string>()
  readonly tokens = new Map<string, TokenRecord>()
  now = 0
  private index = 0
  private created = 0
  private record: MigrationRecord = NO_BATCHES
  private recordVersion = 0
  private readonly plans = new Map<number, Plan>()
  private readonly random = new SeededRandom(7)
  private readonly planner: typeof planBatch

  /** @param planner the real rule, or a broken one that the checks must detect. */
  constructor(planner: typeof planBatch = planBatch) {
    this.planner = planner
  }

  run(steps: readonly MigrationStep[]): this {
    for (const step of steps) this.step(step)
    return this
  }

  /**
   * Lets one surviving process finish the work.
   *
   * @throws if that takes over a second more than the minimum.
   */
  settle(): this {
    this.plans.clear()
    const remaining = () => [...this.tokens.values()].filter((token) => token.AccessorID === '').length
    const end = this.now + (Math.ceil(remaining() / 128) + 1) * 1_000
    while (remaining() > 0) {
      if (this.now > end) throw new Error('the migration does not end')
      this.work(0)
      this.work(0)
      this.now += 100
    }
    return this
  }

  private step(step: MigrationStep): void {
    switch (step.kind) {
      case 'pass':
        this.now += step.ms
        return
      case 'work':
        this.work(step.process)
        return
      case 'kill':
        this.plans.delete(step.process)
        return
      case 'create':
        for (let i = 0; i < step.count; i += 1) this.create()
        return
      case 'edit':
        this.edit(step.token)
        return
      case 'delete':
        this.delete(step.token)
    }
  }

  private work(process: number): void {
    const plan = this.plans.get(process)
    this.plans.delete(process)
    if (plan !== undefined) {
      this.commit(plan)
      return
    }
    if (nextBatchAt(this.record.lastBatchAt, this.now) > this.now) return
    const accessors = this.planner([...this.tokens.values()], { random: this.random, isTaken: () => false })
    if (accessors.length > 0) this.plans.set(process, { accessors, recordVersion: this.recordVersion })
  }

  /** Commits like a store: nothing on a stale migration record, and only unchanged tokens. */
  private commit({ accessors, recordVersion }: Plan): void {
    if (recordVersion !== this.recordVersion) return
    const unchanged = accessors.filter(
      ({ token }) => this.tokens.get(token.SecretID)?.ModifyIndex === token.ModifyIndex,
    )
    if (unchanged.length === 0) return
    this.record = recordBatch(this.record, { at: this.now, tokens: unchanged.length })
    this.recordVersion += 1
    this.index += 1
    const tokens = unchanged.map(({ token, accessorId }) => ({
      ...convertForMigration(token, accessorId),
      ModifyIndex: this.index,
    }))
    for (const token of tokens) this.tokens.set(token.SecretID, token)
    this.batches.push({ at: this.now, tokens })
  }

  private create(): void {
    this.created += 1
    this.index += 1
    const ID = `secret-${this.created}`
    const Type = this.created % 5 === 0 ? 'management' : 'client'
    this.tokens.set(
      ID,
      anUnmigratedToken({ ID, Name: 'new', Type, CreateIndex: this.index, ModifyIndex: this.index }),
    )
    this.descriptions.set(ID, 'new')
  }

  /** Edits through the legacy API, which refuses a management token that has links. */
  private edit(number: number): void {
    const token = this.pick(number)
    if (token === undefined || token.Policies.length > 0) return
    this.index += 1
    const { SecretID: ID, Type, Rules } = token
    const Name = `edited at ${this.index}`
    const edited = writeLegacyToken(token, { ID, Name, Type, Rules }, undefined)
    this.tokens.set(ID, { ...edited, ModifyIndex: this.index })
    this.descriptions.set(ID, Name)
  }

  private delete(number: number): void {
    const token = this.pick(number)
    if (token === undefined) return
    this.tokens.delete(token.SecretID)
    this.descriptions.delete(token.SecretID)
  }

  private pick(number: number): TokenRecord | undefined {
    return [...this.tokens.values()][number % Math.max(1, this.tokens.size)]
  }
}
