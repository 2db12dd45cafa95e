import type { ServiceProfile, Session } from '@latchkey/contract'
import type { SessionRecord } from '../records/session-records.ts'

/** A session in the answers of a service version. Before 1.7.0, `Checks` is its only list. */
export function showSession(record: SessionRecord, profile: ServiceProfile): Session {
  const { ID, Name, Node, LockDelay, Behavior, TTL, NodeChecks, ServiceChecks, Checks } = record
  const { CreateIndex, ModifyIndex } = record
  if (!profile.has('session.checkLists')) {
    const all = [...NodeChecks, ...Checks]
    return { ID, Name, Node, Checks: all, LockDelay, Behavior, TTL, CreateIndex, ModifyIndex }
  }
  return {
    ...{ ID, Name, Node, LockDelay, Behavior, TTL, NodeChecks: [...NodeChecks] },
    ServiceChecks: ServiceChecks && [...ServiceChecks],
    ...(Checks.length === 0 ? {} : { Checks: [...Checks] }),
    CreateIndex,
    ModifyIndex,
  }
}

/**
 * Whether info and renew fail because of the versions of the process that receives a request and of the leader: one is
 * 1.7.0 or 1.7.1, and the other is older. Spec 9.3 (1.7.0, 1.7.2).
 */
export function rejectsSessionQueries(own: ServiceProfile, leader: ServiceProfile): boolean {
  const isOld = (profile: ServiceProfile) => !profile.has('session.checkLists')
  const isFaulty = (profile: ServiceProfile) => profile.has('session.incompatibleQueries')
  return (isOld(own) && isFaulty(leader)) || (isFaulty(own) && isOld(leader))
}
