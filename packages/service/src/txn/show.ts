/** Answers of transactions. */
import { type Failure, PENDING_INDEX, type Shown, showCheck, showNode, showNodeService } from '@latchkey/acl'
import type { OperationResult, TransactionAnswer } from '@latchkey/contract'
import type { Context } from '../handler.ts'
import { showEntry } from '../kv/kv-entry.ts'

type Freshness = Pick<TransactionAnswer, 'Index' | 'LastContact' | 'KnownLeader' | 'ConsistencyLevel'>

/** The answer of a transaction that failed, which changed nothing. */
export function showFailures(failures: readonly Failure[], freshness: Freshness = {}) {
  const Errors = failures.map(({ place, what }) => ({ OpIndex: place, What: what }))
  const value: TransactionAnswer = { Results: null, Errors, ...freshness }
  return { body: { kind: 'json', value }, status: 409 } as const
}

/** @param index of the commit of the transaction. */
export function showRecord(call: Context, shown: Shown, index: number): OperationResult {
  const { view } = call.records
  switch (shown.kind) {
    case 'key': {
      const entry = showEntry(call, stamped(shown.record, index))
      return { KV: shown.withValue ? entry : { ...entry, Value: null } }
    }
    case 'node':
      return { Node: showNode(stamped(shown.record, index), view) }
    case 'service':
      return { Service: showNodeService(stamped(shown.record, index), view) }
    case 'check':
      return { Check: showCheck(stamped(shown.record, index), shown.service, view) }
  }
}

function stamped<R extends { readonly CreateIndex: number; readonly ModifyIndex: number }>(
  record: R,
  index: number,
): R {
  const { CreateIndex, ModifyIndex } = record
  return {
    ...record,
    CreateIndex: CreateIndex === PENDING_INDEX ? index : CreateIndex,
    ModifyIndex: ModifyIndex === PENDING_INDEX ? index : ModifyIndex,
  }
}
