/** Plans a transaction: applies its operations in order, each on top of the earlier writes. Decisions: transactions. */
import type { KvRecord } from '@latchkey/acl'
import { AclError, limits } from '@latchkey/contract'
import type { Catalog } from '../catalog.ts'
import type { CatalogChange } from '../commit-rules.ts'
import { applyToCheck, applyToNode, applyToService } from './catalog-verbs.ts'
import { CatalogWrites } from './catalog-writes.ts'
import { Keys, type StoredKeys } from './keys.ts'
import type { Operation } from './operations.ts'
import type { Expectation, KeyChange, May, Outcome, Shown } from './outcome.ts'

/** An operation that cannot be applied. */
export interface Failure {
  /** Its position in the transaction. */
  readonly place: number
  /** The reason, for the caller. */
  readonly what: string
}

export interface TransactionPlan {
  /**
   * Operations that are malformed or that the caller may not perform. They take precedence over
   * {@link TransactionPlan.failed}.
   */
  readonly refused: readonly Failure[]
  /** Operations that the stored records do not allow. */
  readonly failed: readonly Failure[]
  /** The results of the operations, in order; complete if none is refused or fails. */
  readonly shown: readonly Shown[]
  /** At most one change per record. A tree is deleted before keys are put below its prefix. */
  readonly changes: readonly (KeyChange | CatalogChange)[]
  /** The state on which the plan depends. */
  readonly expects: readonly Expectation[]
}

/** @param operations the operations by position; `undefined` does nothing. */
export function planTransaction(
  operations: readonly (Operation | undefined)[],
  stored: { readonly catalog: Catalog; readonly keys: StoredKeys },
  may: May,
): TransactionPlan {
  const writes = new CatalogWrites(stored.catalog, operations.flatMap(nodesOf))
  const keys = new Keys(stored.keys, writes.sessions)
  const refused: Failure[] = []
  const failed: Failure[] = []
  const shown: Shown[] = []
  const budget = new TransactionBudget()
  for (const [place, operation] of operations.entries()) {
    if (!operation) continue
    const outcome = apply(operation, { keys, writes, may })
    if ('refused' in outcome) refused.push({ place, what: outcome.refused })
    else if ('failed' in outcome) failed.push({ place, what: outcome.failed })
    else {
      for (const record of outcome.shown) budget.takeShown(record)
      shown.push(...outcome.shown)
    }
  }
  return {
    refused,
    failed,
    shown,
    changes: [...keys.changes(), ...writes.changes()],
    expects: [...keys.expectations(), ...writes.expectations()],
  }
}

function apply(
  operation: Operation,
  { keys, writes, may }: { readonly keys: Keys; readonly writes: CatalogWrites; readonly may: May },
): Outcome {
  switch (operation.kind) {
    case 'fault':
      return operation.outcome
    case 'key':
      return keys.apply(operation, may)
    case 'node':
      return applyToNode(operation, writes, may)
    case 'service':
      return applyToService(operation, writes, may)
    case 'check':
      return applyToCheck(operation, writes, may)
  }
}

function nodesOf(operation: Operation | undefined) {
  if (!operation || operation.kind === 'key' || operation.kind === 'fault') return []
  return [{ name: operation.node, id: operation.kind === 'node' ? operation.record.ID : undefined }]
}

/** What a transaction may still read, or show. Decisions: transactions. */
export class TransactionBudget {
  private bytes = limits.TRANSACTION_READ_BYTES_MAX
  private keys = limits.TRANSACTION_TREE_KEYS_MAX

  /** Counts a key with its value. */
  takeKey({ Key, Value }: Pick<KvRecord, 'Key' | 'Value'>): void {
    this.keys -= 1
    this.takeBytes(Key.length + Value.length)
  }

  /** Counts a record each time it is shown. */
  takeShown(shown: Shown): void {
    if (shown.kind !== 'key') this.takeBytes(JSON.stringify(shown).length)
    else if (shown.withValue) this.takeKey(shown.record)
  }

  private takeBytes(bytes: number): void {
    this.bytes -= bytes
    if (this.keys >= 0 && this.bytes >= 0) return
    const { TRANSACTION_TREE_KEYS_MAX: keysMax, TRANSACTION_READ_BYTES_MAX: bytesMax } = limits
    const message = `Transaction reads too much: at most ${keysMax} keys, and ${bytesMax} bytes`
    throw new AclError('transaction_too_large', message)
  }
}
