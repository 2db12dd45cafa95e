/** Use cases that write: decide on what is read, commit on the condition that it still holds, or decide again. */
import { AclError } from '@latchkey/contract'
import { type Change, type Store, StoreConflict } from '../store/store.ts'

/** Tries before a write that always meets another gives up. */
const ATTEMPTS_MAX = 16

/** What a decision comes to: changes to commit, and the answer once their index is known. */
export interface Decision<T> {
  readonly changes: readonly Change[]
  readonly answer: (index: number) => T
}

/**
 * Decides and commits, again where the stored state changed in between.
 *
 * @param decide reads what it needs and applies the rules; it must not keep anything from an earlier try.
 * @throws AclError `id_in_use`, `name_in_use`, or what the rules say; `unavailable` where others never let it pass.
 */
export async function decideAndCommit<T>(
  store: Store,
  decide: () => Promise<Decision<T>> | Decision<T>,
): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
    const decision = await decide()
    if (decision.changes.length === 0) return decision.answer(0)
    try {
      return decision.answer(await store.commit(decision.changes))
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      if (error.reason !== 'changed') throw toRefusal(error.reason)
      // What was read is out of date, so what is read next must not be.
      await store.refresh('consistent')
    }
  }
  throw new AclError(
    'unavailable',
    `The record is being changed too often: gave up after ${ATTEMPTS_MAX} tries`,
    {
      headers: { 'Retry-After': '1' },
    },
  )
}

function toRefusal(reason: 'accessor_in_use' | 'secret_in_use' | 'name_in_use'): AclError {
  if (reason === 'name_in_use')
    return new AclError('name_in_use', 'The name is already in use', { field: 'Name' })
  const field = reason === 'accessor_in_use' ? 'AccessorID' : 'SecretID'
  return new AclError('id_in_use', `Invalid Token: ${field} is already in use`, { field })
}

/** A record as the store has it after its first commit. */
export function created<T extends { readonly CreateIndex: number; readonly ModifyIndex: number }>(
  record: T,
  index: number,
): T {
  return { ...record, CreateIndex: index, ModifyIndex: index }
}

/** A record as the store has it after a later commit. */
export function modified<T extends { readonly ModifyIndex: number }>(record: T, index: number): T {
  return { ...record, ModifyIndex: index }
}
