/** Use cases that write: they read, decide, and commit if nothing that they read has changed; otherwise they start over. */
import { methodOf } from '@latchkey/acl'
import { AclError } from '@latchkey/contract'
import { requireAuthority, requireNamespaces } from '../caller/authority.ts'
import type { Context } from '../handler.ts'
import { keyOf } from './claims.ts'
import { type Change, type CommitOptions, type Store, StoreConflict } from './store.ts'

/** Attempts before a write that conflicts every time gives up. */
const ATTEMPTS_MAX = 16

/** The result of a decision: changes to commit, and the answer once their index is known. */
export interface Decision<T> {
  readonly changes: readonly Change[]
  readonly above?: CommitOptions['above']
  readonly expects?: CommitOptions['expects']
  readonly answer: (index: number) => T
}

/**
 * Decides and commits for the caller of a request; see {@link decideAndCommit}. Each decision is authorized before it is
 * committed.
 * @throws AclError `not_found` for a deleted namespace; as {@link requireAuthority} and the decision.
 */
export function decideAndCommitFor<T>(
  call: Context,
  decide: () => Promise<Decision<T>> | Decision<T>,
): Promise<T> {
  const { store } = call.service
  const authorized = (decision: Decision<T>): Decision<T> | Promise<Decision<T>> => {
    requireNamespaces(decision.changes, store.directory())
    const asking = requireAuthority(call, decision.changes)
    return asking ? asking.then(() => decision) : decision
  }
  return decideAndCommit(store, () => {
    const decision = decide()
    return decision instanceof Promise ? decision.then(authorized) : authorized(decision)
  })
}

/**
 * Decides and commits, and retries if the stored state changed in between. Retries take turns by record, and later writes to
 * these records queue behind them: however many callers change one record concurrently, each conflicts with others only once.
 *
 * @param decide reads what it needs and applies the rules; it must not keep anything from an earlier attempt.
 * @throws AclError `id_in_use`, or what the rules say; `unavailable` if it keeps conflicting with other
 *   processes.
 */
export async function decideAndCommit<T>(
  store: Store,
  decide: () => Promise<Decision<T>> | Decision<T>,
): Promise<T> {
  const queue = store.contested
  const first = await tryOnce(store, decide, (changes) => queue.isEmpty || !queue.isAwaited(namesOf(changes)))
  if ('answer' in first) return first.answer
  return queue.inTurn(namesOf(first.contested), async () => {
    for (let attempt = 2; attempt <= ATTEMPTS_MAX; attempt += 1) {
      // The last read was outdated, so the next one must be current.
      await store.refresh('consistent')
      const next = await tryOnce(store, decide, () => true)
      if ('answer' in next) return next.answer
    }
    const message = `The record is being changed too often: gave up after ${ATTEMPTS_MAX} tries`
    throw new AclError('unavailable', message, { headers: { 'Retry-After': '1' } })
  })
}

/** @returns the answer, or the changes that conflicted with a concurrent write or may not be committed now. */
async function tryOnce<T>(
  store: Store,
  decide: () => Promise<Decision<T>> | Decision<T>,
  mayCommit: (changes: readonly Change[]) => boolean,
): Promise<{ readonly answer: T } | { readonly contested: readonly Change[] }> {
  const decided = decide()
  const { changes, above, expects, answer } = decided instanceof Promise ? await decided : decided
  if (changes.length === 0) return { answer: answer(0) }
  if (!mayCommit(changes)) return { contested: changes }
  try {
    return { answer: answer(await store.commit(changes, { above, expects })) }
  } catch (error) {
    if (!(error instanceof StoreConflict)) throw error
    if (error.reason === 'method_full') throw methodFull(changes, store)
    if (error.reason === 'accessor_in_use') throw idInUse('AccessorID')
    if (error.reason === 'secret_in_use') throw idInUse('SecretID')
    // A name may be taken by a record of any kind: the next decision reads it and refuses with the sentence of its rule.
    return { contested: changes }
  }
}

/** Names of what the changes affect: records, or a tree of keys. */
function namesOf(changes: readonly Change[]): readonly string[] {
  const nameOf = (change: Change) =>
    change.op === 'delete-tree' ? `${change.namespace}/${change.prefix}` : keyOf(change)
  return [...new Set(changes.map((change) => `${change.table}/${nameOf(change)}`))]
}

/** How long a client waits for tokens to expire. */
const FULL_RETRY_AFTER_SECONDS = 60

function methodFull(changes: readonly Change[], store: Store): AclError {
  const directory = store.directory()
  const method = changes
    .flatMap((change) => (change.table === 'tokens' ? (methodOf(change.record, directory) ?? []) : []))
    .find(({ MaxLiveTokens }) => MaxLiveTokens !== undefined)
  const what = method
    ? `auth method ${JSON.stringify(method.Name)} has ${method.MaxLiveTokens}`
    : 'the auth method has as many as it may'
  return new AclError('too_many_live_tokens', `Too many live tokens: ${what}`, {
    headers: { 'Retry-After': `${FULL_RETRY_AFTER_SECONDS}` },
  })
}

function idInUse(field: 'AccessorID' | 'SecretID'): AclError {
  return new AclError('id_in_use', `Invalid Token: ${field} is already in use`, { field })
}

/** A record as stored by its first commit. */
export function created<T extends { readonly CreateIndex: number; readonly ModifyIndex: number }>(
  record: T,
  index: number,
): T {
  return { ...record, CreateIndex: index, ModifyIndex: index }
}

/** A record as stored by a later commit. */
export function modified<T extends { readonly ModifyIndex: number }>(record: T, index: number): T {
  return { ...record, ModifyIndex: index }
}
