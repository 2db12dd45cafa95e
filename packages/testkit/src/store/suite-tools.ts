/** Helpers for several parts of the store suite. */

import type { TokenRecord } from '@latchkey/acl'
import type { Change, ConflictReason, Store, TokenFilter } from '@latchkey/service'
import { expect } from 'vitest'
import { putOf } from '../records/changes.ts'
import { aNamespace } from '../records/record-builders.ts'

/** The name of a namespace that exists. */
export async function madeNamespace(store: Store, Name: string): Promise<string> {
  const record = aNamespace({ Name })
  await store.commit([putOf('namespaces', record)])
  return Name
}

export function putNew(record: TokenRecord): Change {
  return putOf('tokens', record, 0)
}

export async function refused(
  store: Store,
  changes: readonly Change[],
  reason: ConflictReason,
): Promise<void> {
  await expect(store.commit(changes)).rejects.toMatchObject({ name: 'StoreConflict', reason })
}

export async function list(store: Store, filter: TokenFilter): Promise<TokenRecord[]> {
  const tokens: TokenRecord[] = []
  for await (const page of store.tokens(filter)) tokens.push(...page)
  return tokens
}
