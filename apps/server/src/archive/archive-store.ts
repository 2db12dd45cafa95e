import type { KeyRing } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'

/** What a backup and a restore need of the store of this process. */
export interface ArchiveStore {
  /** Of its database. */
  readonly url: string
  readonly ring: KeyRing
  readonly secrets: SecretBox
  readonly datacenter: string
  readonly serviceVersion: string
  /** This process among those that share the database. */
  readonly memberId: string
  /** The highest index that this process has seen. */
  readonly seenIndex: () => number
}
