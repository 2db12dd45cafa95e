/** What the operations of a transaction come to, made in order, each with the writes before it. Decisions: transactions. */
import type { Catalog } from '../catalog/catalog.ts'
import type { CatalogChange } from '../catalog/commit-rules.ts'
import { applyToCheck, applyToNode, applyToService } from './catalog-verbs.ts'
import { CatalogWrites } from './catalog-writes.ts'
import { Keys, type StoredKeys } from './keys.ts'
import type { Operation } from './operations.ts'
import type { Expectation, KeyChange, May, Outcome, Shown } from './outcome.ts'

/** An operation that cannot be made. */
export interface Failure {
  /** Its place in the transaction. */
  readonly place: number
  /** For the caller. */
  readonly what: string
}

export interface TransactionPlan {
  /** Operations that are malformed, or that the caller may not make. They count before {@link TransactionPlan.failed}. */
  readonly refused: readonly Failure[]
  /** Operations that what is stored does not allow. */
  readonly failed: readonly Failure[]
  /** What the operations show, in order; complete if none is refused and none fails. */
  readonly shown: readonly Shown[]
  /** At most one change of each record. A tree is deleted before keys are put below its prefix. */
  readonly changes: readonly (KeyChange | CatalogChange)[]
  /** What the plan depends on. */
  readonly expects: readonly Expectation[]
}

/** @param operations by place; `undefined` does nothing. */
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
  for (const [place, operation] of operations.entries()) {
    if (!operation) continue
    const outcome = apply(operation, { keys, writes, may })
    if ('refused' in outcome) refused.push({ place, what: outcome.refused })
    else if ('failed' in outcome) failed.push({ place, what: outcome.failed })
    else shown.push(...outcome.shown)
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
      return { refused: operation.what }
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
