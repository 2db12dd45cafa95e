/** Sessions: what holds the locks of keys. Reference: sessions of the key-value store. */
import { checkKey } from './catalog-records.ts'
import { DEFAULT_NAMESPACE } from './records.ts'

/** What a session does to the keys it holds when it ends. */
export type SessionBehavior = 'release' | 'delete'

/** A session never changes: it is created and ends. */
export interface SessionRecord {
  /** A UUID in lower case. */
  readonly ID: string
  readonly Name: string
  /** As the caller spelled it; it compares without case. */
  readonly Node: string
  /** Nanoseconds, as they were given: `lockDelayMs` bounds them. */
  readonly LockDelay: number
  readonly Behavior: SessionBehavior
  /** A Go duration as it was given; empty for a session that does not expire. */
  readonly TTL: string
  /** Ids of checks on the node. */
  readonly NodeChecks: readonly string[]
  /** Checks of services on the node; `null` if none were given. */
  readonly ServiceChecks: readonly { readonly ID: string; readonly Namespace: string }[] | null
  /** Ids of checks that were given in the field of before 1.7. */
  readonly Checks: readonly string[]
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** Keys of the checks that end a session once they are critical or gone. */
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
