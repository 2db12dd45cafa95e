import type { KeyRing } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import type { Membership } from '../storage/members/membership.ts'

/** What a backup and a restore need from this process's store. */
export interface ArchiveStore {
  /** The URL of its database. */
  readonly url: string
  readonly ring: KeyRing
  readonly secrets: SecretBox
  readonly datacenter: string
  readonly serviceVersion: string
  readonly membership: Pick<Membership, 'withoutLease' | 'endLeases'>
  /** The highest index that this process has seen. */
  readonly seenIndex: () => number
}
