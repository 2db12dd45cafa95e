/** Plans a transaction on what is stored at one moment. */
import {
  type Expectation,
  type May,
  type Operation,
  planTransaction,
  type TransactionPlan,
} from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import type { Store } from '../store/store.ts'
import { loadKeys } from './load-keys.ts'

/** Tries before a read of records that always change gives up. */
const ATTEMPTS_MAX = 16

/**
 * What the operations come to. A plan with changes is committed on the condition that it still holds; any other is read again
 * until nothing that it shows has changed in between.
 *
 * @throws AclError `transaction_too_large`; `unavailable` where others never let it read.
 */
export async function planSettled(
  store: Store,
  operations: readonly (Operation | undefined)[],
  may: May,
): Promise<TransactionPlan> {
  let before: readonly Expectation[] | undefined
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const index = store.commitIndex()
    const keys = await loadKeys(store, operations)
    const plan = planTransaction(operations, { catalog: store.catalog(), keys }, may)
    const { refused, failed, changes, expects } = plan
    if (refused.length + failed.length === 0 && changes.length > 0) return plan
    if (store.commitIndex() === index || isSame(expects, before)) return plan
    before = expects
  }
  const message = `The records are being changed too often: gave up after ${ATTEMPTS_MAX} tries`
  throw new AclError('unavailable', message, { headers: { 'Retry-After': '1' } })
}

function isSame(expects: readonly Expectation[], before: readonly Expectation[] | undefined): boolean {
  return before !== undefined && JSON.stringify(expects) === JSON.stringify(before)
}
