import type { Alarm } from './alarm.ts'
import type { Lease } from './leases/lease.ts'

/** Notified when a process joins or leaves: this process then gives up its lease until the database grants it again. */
export class MemberChanges {
  private readonly lease: Lease
  private readonly heartbeat: Alarm

  /** @param heartbeat rung at a change: the next heartbeat reports that this process knows of it. */
  constructor(lease: Lease, heartbeat: Alarm) {
    this.lease = lease
    this.heartbeat = heartbeat
  }

  note(): void {
    this.lease.drop()
    this.heartbeat.ring()
  }
}
