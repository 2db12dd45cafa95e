/** Plans a transaction on a consistent state of the store. */
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

/** Attempts before a read of constantly changing records gives up. */
const ATTEMPTS_MAX = 16

/**
 * Plans the operations. A plan with changes may be outdated, because its commit is conditional; any other plan is repeated
 * until nothing that it shows has changed in the meantime.
 *
 * @throws AclError `transaction_too_large`; `unavailable` if concurrent writes never leave a consistent state.
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
