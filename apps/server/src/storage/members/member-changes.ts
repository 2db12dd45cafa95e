import type { Alarm } from './alarm.ts'
import type { Lease } from './lease.ts'

/** Notified when a process joins or leaves: this one gives up its lease until the database grants it again. */
export class MemberChanges {
  /** Number of membership changes: shows whether one happened while a question was in flight. */
  version = 0
  private readonly lease: Lease
  private readonly heartbeat: Alarm

  /** @param heartbeat rung at a change: the next heartbeat tells the others that this process knows of it. */
  constructor(lease: Lease, heartbeat: Alarm) {
    this.lease = lease
    this.heartbeat = heartbeat
  }

  note(): void {
    this.version += 1
    this.lease.revoke()
    this.heartbeat.ring()
  }
}
