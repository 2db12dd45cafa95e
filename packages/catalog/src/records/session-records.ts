/** Sessions, which hold locks on keys. Reference: sessions of the key-value store. */

import { DEFAULT_NAMESPACE } from '@latchkey/acl'
import { checkKey } from './catalog-records.ts'

/** What happens to the keys of a session when it ends. */
export type SessionBehavior = 'release' | 'delete'

/** A session is never updated: it is created and later ends. */
export interface SessionRecord {
  readonly ID: string
  readonly Name: string
  /** As the caller spelled it; compared case-insensitively. */
  readonly Node: string
  /** In nanoseconds, as given; `lockDelayMs` limits it. */
  readonly LockDelay: number
  readonly Behavior: SessionBehavior
  /** A Go duration, as given; empty for a session that does not expire. */
  readonly TTL: string
  /** Ids of checks on the node. */
  readonly NodeChecks: readonly string[]
  /** Checks of services on the node; `null` if none were given. */
  readonly ServiceChecks: readonly { readonly ID: string; readonly Namespace: string }[] | null
  /** Ids of checks that were given in the field from before 1.7.0. */
  readonly Checks: readonly string[]
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Keys of the checks that end a session when they become critical or are removed. */
export function sessionCheckKeys({
  Node,
  NodeChecks,
  ServiceChecks,
  Checks,
}: Pick<SessionRecord, 'Node' | 'NodeChecks' | 'ServiceChecks' | 'Checks'>): readonly string[] {
  const ofNode = [...NodeChecks, ...Checks].map((CheckID) => ({ CheckID, Namespace: DEFAULT_NAMESPACE }))
  const ofServices = (ServiceChecks ?? []).map(({ ID, Namespace }) => ({
    CheckID: ID,
    Namespace: Namespace === '' ? DEFAULT_NAMESPACE : Namespace,
  }))
  return [...new Set([...ofNode, ...ofServices].map((check) => checkKey({ Node, ...check })))]
}
