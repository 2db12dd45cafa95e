/** The outcome of an operation in a transaction. */

import type { KvRecord, Question } from '@latchkey/acl'
import type { CheckRecord, NodeRecord, ServiceRecord } from '../records/catalog-records.ts'

/**
 * Placeholder for the CreateIndex and ModifyIndex of records that the transaction writes, until the index of its commit
 * is known.
 */
export const PENDING_INDEX = -1

export type May = (question: Question, namespace: string) => boolean

/** A record in the result of an operation. */
export type Shown =
  | { readonly kind: 'key'; readonly record: KvRecord; readonly withValue: boolean }
  | { readonly kind: 'node'; readonly record: NodeRecord }
  | { readonly kind: 'service'; readonly record: ServiceRecord }
  /** `service`: the service of the check; absent for a check of the node. */
  | { readonly kind: 'check'; readonly record: CheckRecord; readonly service: ServiceRecord | undefined }

/**
 * `refused`: the operation is invalid, or the caller lacks the right. `failed`: the stored records do not allow it.
 * Otherwise the operation is applied, and returns these records.
 */
export type Outcome =
  | { readonly refused: string }
  | { readonly failed: string }
  | { readonly shown: readonly Shown[] }

export const DENIED: Outcome = { refused: 'Permission denied' }
export const NOTHING: Outcome = { shown: [] }

export function failed(what: string): Outcome {
  return { failed: what }
}

/** Whether a record has the ModifyIndex that a condition expects; 0 for none. */
export function isAtIndex(record: { readonly ModifyIndex: number } | undefined, index: number): boolean {
  return (record?.ModifyIndex ?? 0) === index
}

/** A change of a key, or of all keys with a prefix. */
export type KeyChange =
  | {
      readonly table: 'kv'
      readonly op: 'put' | 'delete'
      readonly record: KvRecord
      /** ModifyIndex of the stored key; 0 if there is none, or if its tree is deleted earlier. */
      readonly expect: number
    }
  | { readonly table: 'kv'; readonly op: 'delete-tree'; readonly namespace: string; readonly prefix: string }

/**
 * The state on which a decision was based: a record with its ModifyIndex (0 for none), or the keys with a prefix, with
 * their number and highest ModifyIndex. Every write of a key raises the highest index, and a removal without a write
 * lowers the number.
 */
export type Expectation =
  | { readonly table: 'kv'; readonly namespace: string; readonly key: string; readonly modifyIndex: number }
  | {
      readonly table: 'kv'
      readonly namespace: string
      readonly prefix: string
      readonly count: number
      readonly modifyIndex: number
    }
  /** `key`: `catalogKey` of the record. */
  | { readonly table: 'nodes' | 'services' | 'checks'; readonly key: string; readonly modifyIndex: number }
