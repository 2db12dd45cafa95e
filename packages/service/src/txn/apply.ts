import {
  type Failure,
  isRead,
  type May,
  type Operation,
  PENDING_INDEX,
  planTransaction,
  readOperation,
  type Shown,
  type StoredKeys,
  showCheck,
  showNode,
  showNodeService,
  type TransactionPlan,
} from '@latchkey/catalog'
import { AclError, limits, type OperationResult, type TransactionAnswer } from '@latchkey/contract'
import { isAtHome } from '../caller/caller.ts'
import { type Answer, type Call, type Context, json } from '../handler.ts'
import { makeLongText, showEntry } from '../kv/kv-entry.ts'
import { namespaceOf } from '../request/namespace.ts'
import { readOptionsOf } from '../request/read-options.ts'
import { type Decision, decideAndCommitFor } from '../store/commit.ts'
import { compareUtf8 } from '../store/list-order.ts'
import { planSettled } from './plan-settled.ts'

type TransactionReply = Answer<'txn.apply'>

/**
 * Applies all operations, or answers 409 with the error of each. Checks rights before it looks up keys. Decisions:
 * transactions.
 */
export async function applyTransactionHandler(call: Call<'txn.apply'>): Promise<TransactionReply> {
  const { body, service } = call
  const { length } = body
  if (length > limits.TRANSACTION_OPERATIONS_MAX) {
    const bound = `${length} > ${limits.TRANSACTION_OPERATIONS_MAX}`
    throw new AclError('transaction_too_large', `Transaction contains too many operations (${bound})`)
  }
  const operations = body.map((operation) =>
    readOperation(operation, {
      datacenter: service.datacenter,
      namespaceOf: (field) => namespaceOf(call, field),
    }),
  )
  const may = rightsOf(call)
  const { refused } = planTransaction(operations, { catalog: service.store.catalog(), keys: NO_KEYS }, may)
  const isReading = operations.every((operation) => !operation || isRead(operation))
  if (isReading) return makeLongText(call, () => read(call, { operations, refused, may }))
  if (refused.length > 0) return showFailures(refused)
  return decideAndCommitFor(call, () => decide(call, operations, may))
}

async function decide(
  call: Context,
  operations: readonly (Operation | undefined)[],
  may: May,
): Promise<Decision<TransactionReply>> {
  const { refused, failed, shown, changes, expects } = await planSettled(call.service.store, operations, may)
  const failures = refused.length > 0 ? refused : failed
  if (failures.length > 0) return { changes: [], answer: () => showFailures(failures) }
  return {
    changes: changes.map((change) => (change.table === 'kv' ? change : { ...change, expect: undefined })),
    expects,
    answer: (index) =>
      json({ Results: shown.map((record) => showRecord(call, record, index)), Errors: null }),
  }
}

interface Reading {
  readonly operations: readonly (Operation | undefined)[]
  /** Refusals that can be determined without stored records. */
  readonly refused: TransactionPlan['refused']
  readonly may: May
}

/** A transaction without writes honors `stale` and `consistent`, and reports its freshness. */
async function read(
  call: Call<'txn.apply'>,
  { operations, refused: early, may }: Reading,
): Promise<TransactionReply> {
  const { mode } = readOptionsOf(call.query, undefined)
  const { store } = call.service
  const { knownLeader, lastContactMs } = await store.refresh(mode)
  const source = mode === 'stale' ? (store.stale ?? store) : store
  const { refused, failed, shown } =
    early.length > 0 ? { refused: early, failed: [], shown: [] } : await planSettled(source, operations, may)
  const LastContact = Math.round(lastContactMs)
  const freshness = { Index: 0, LastContact, KnownLeader: knownLeader, ConsistencyLevel: '' }
  const headers = { knownLeader: String(knownLeader), lastContact: String(LastContact) }
  const failures = refused.length > 0 ? refused : failed
  if (failures.length > 0) return { ...showFailures(failures, freshness), headers }
  const Results = shown.map((record) => showRecord(call, record, 0))
  return { ...json({ Results, Errors: null, ...freshness }), headers }
}

function rightsOf({ caller }: Context): May {
  return (question, namespace) => isAtHome(caller, namespace) && caller.authorizer.decide(question)
}

/** For rights, which do not depend on stored keys. */
const NO_KEYS: StoredKeys = {
  entry: () => undefined,
  tree: () => [],
  isDelayed: () => false,
  compare: compareUtf8,
}

type Freshness = Pick<TransactionAnswer, 'Index' | 'LastContact' | 'KnownLeader' | 'ConsistencyLevel'>

/** The answer of a transaction that failed, which changed nothing. */
function showFailures(failures: readonly Failure[], freshness: Freshness = {}) {
  const Errors = failures.map(({ place, what }) => ({ OpIndex: place, What: what }))
  const value: TransactionAnswer = { Results: null, Errors, ...freshness }
  return { body: { kind: 'json', value }, status: 409 } as const
}

/** @param index of the commit of the transaction. */
function showRecord(call: Context, shown: Shown, index: number): OperationResult {
  const { view } = call
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
