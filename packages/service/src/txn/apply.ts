import type { KvRecord } from '@latchkey/acl'
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
  TransactionBudget,
  type TransactionPlan,
  UNLOADED_VALUE,
} from '@latchkey/catalog'
import { AclError, limits, type OperationResult, type TransactionAnswer } from '@latchkey/contract'
import { isAtHome } from '../caller/caller.ts'
import { type Answer, type Call, type Context, type Handler, json } from '../handler.ts'
import { makeLongText, showEntry } from '../kv/kv-entry.ts'
import { namespaceOf } from '../request/namespace.ts'
import { readOptionsOf } from '../request/read-options.ts'
import { type Decision, decideAndCommitFor } from '../store/commit.ts'
import { compareUtf8 } from '../store/list-order.ts'
import { kvTopic, type Store } from '../store/store.ts'

type TransactionReply = Answer<'txn.apply'>

/**
 * Applies all operations, or answers 409 with the error of each. Checks rights before it looks up keys. Decisions:
 * transactions.
 */
export const applyTransactionHandler: Handler<'txn.apply'> = async (call) => {
  const { body, service } = call
  const { length } = body
  if (length > limits.TRANSACTION_OPERATIONS_MAX) {
    const bound = `${length} > ${limits.TRANSACTION_OPERATIONS_MAX}`
    throw new AclError('transaction_too_large', `Transaction contains too many operations (${bound})`)
  }
  const home = { datacenter: service.datacenter, namespaceOf: (field?: string) => namespaceOf(call, field) }
  const operations = body.map((operation) => readOperation(operation, home))
  const { caller } = call
  const may: May = (question, namespace) => isAtHome(caller, namespace) && caller.authorizer.decide(question)
  const { refused } = planTransaction(operations, { catalog: service.store.catalog(), keys: NO_KEYS }, may)
  const isReading = operations.every((operation) => !operation || isRead(operation))
  if (isReading) return makeLongText(call, () => read(call, operations, refused, may))
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

/** A transaction without writes honors `stale` and `consistent`, and reports its freshness. */
async function read(
  call: Call<'txn.apply'>,
  operations: readonly (Operation | undefined)[],
  early: TransactionPlan['refused'],
  may: May,
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

/** For rights, which do not depend on stored keys. */
const NO_KEYS: StoredKeys = {
  entry: () => undefined,
  tree: () => [],
  isDelayed: () => false,
  compare: compareUtf8,
}

type Freshness = Pick<TransactionAnswer, 'Index' | 'LastContact' | 'KnownLeader' | 'ConsistencyLevel'>

function showFailures(failures: readonly Failure[], freshness: Freshness = {}) {
  const Errors = failures.map(({ place, what }) => ({ OpIndex: place, What: what }))
  const value: TransactionAnswer = { Results: null, Errors, ...freshness }
  return { body: { kind: 'json', value }, status: 409 } as const
}

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
    case 'check': {
      const check = showCheck(stamped(shown.record, index), shown.service, view)
      return { Check: shown.service ? check : { ...check, ServiceTags: null } }
    }
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

/** Attempts before a read of constantly changing records gives up. */
const ATTEMPTS_MAX = 16

/**
 * Plans the operations. A plan with changes may be outdated, because its commit is conditional; any other plan is repeated
 * until nothing that it shows has changed in the meantime.
 * @throws AclError `transaction_too_large`; `unavailable` if concurrent writes never leave a consistent state.
 */
async function planSettled(
  store: Store,
  operations: readonly (Operation | undefined)[],
  may: May,
): Promise<TransactionPlan> {
  let before: string | undefined
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const index = store.commitIndex()
    const keys = await loadKeys(store, operations)
    const plan = planTransaction(operations, { catalog: store.catalog(), keys }, may)
    const { refused, failed, changes, expects } = plan
    if (refused.length + failed.length === 0 && changes.length > 0) return plan
    if (store.commitIndex() === index || JSON.stringify(expects) === before) return plan
    before = JSON.stringify(expects)
  }
  const message = `The records are being changed too often: gave up after ${ATTEMPTS_MAX} tries`
  throw new AclError('unavailable', message, { headers: { 'Retry-After': '1' } })
}

/**
 * Keeps a value only if a `get` or `get-tree` may show it, or if a write may repeat it.
 * @throws AclError `transaction_too_large`.
 */
export async function loadKeys(
  store: Pick<Store, 'kvEntry' | 'kvEntries' | 'sessionTimes'>,
  operations: readonly (Operation | undefined)[],
): Promise<StoredKeys> {
  const entries = new Map<string, KvRecord | undefined>()
  const trees = new Map<string, readonly KvRecord[]>()
  const shown = new Set<string>()
  const delayed = new Set<string>()
  const budget = new TransactionBudget()
  const ofKeys = operations.flatMap((operation) => (operation?.kind === 'key' ? operation : []))
  for (const { verb, namespace, key } of ofKeys) if (verb === 'get') shown.add(kvTopic(namespace, key))
  for (const { verb, namespace, key } of ofKeys) {
    const id = kvTopic(namespace, key)
    if (verb === 'delete-tree') continue
    if (verb === 'lock' && (await store.sessionTimes.isDelayed(namespace, key))) delayed.add(id)
    if (verb === 'get-tree') {
      if (!trees.has(id)) trees.set(id, await loadTree(store, { namespace, prefix: key }, budget))
    } else if (!entries.has(id)) {
      const entry = await store.kvEntry(namespace, key)
      if (entry && shown.has(id)) budget.takeKey(entry)
      const mayRepeat = ofKeys.some(
        (other) => id === kvTopic(other.namespace, other.key) && other.value.length === entry?.Value.length,
      )
      entries.set(id, entry && !shown.has(id) && !mayRepeat ? { ...entry, Value: UNLOADED_VALUE } : entry)
    }
  }
  return {
    entry: (namespace, key) => entries.get(kvTopic(namespace, key)),
    tree: (namespace, prefix) => trees.get(kvTopic(namespace, prefix)) ?? [],
    isDelayed: (namespace, key) => delayed.has(kvTopic(namespace, key)),
    compare: compareUtf8,
  }
}

async function loadTree(
  store: Pick<Store, 'kvEntries'>,
  range: { readonly namespace: string; readonly prefix: string },
  budget: TransactionBudget,
): Promise<readonly KvRecord[]> {
  const records: KvRecord[] = []
  for await (const page of store.kvEntries({ ...range, limit: limits.TRANSACTION_TREE_KEYS_MAX + 1 })) {
    for (const record of page) budget.takeKey(record)
    records.push(...page)
  }
  return records
}
