import type { Alarm } from './alarm.ts'
import type { Lease } from './lease.ts'

/** Told when a process joins or leaves: this one is not alone, until the database says so again. */
export class MemberChanges {
  /** How often the members have changed: shows that they did while a question was on its way. */
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
