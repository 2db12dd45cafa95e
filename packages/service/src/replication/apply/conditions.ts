/** Conditions for applying an answer of the primary to the stored records. */
import { hasSeenPromotion, type ReplicationRecord } from '@latchkey/acl'
import type { Store } from '../../store/store.ts'
import { Paused } from '../pause.ts'
import type { ReceivedAnswer } from './received.ts'

/** @throws Error for a late answer: it is older than the stored records. */
export function requireNewer(answer: ReceivedAnswer, { index }: { readonly index: number }): void {
  if (answer.index < index) throw new Error(`the answer is of index ${answer.index}, and ${index} is there`)
}

/** @throws Paused for another cluster that no operator has accepted. */
export function requireAccepted({ cluster, accepted }: ReplicationRecord, answer: ReceivedAnswer): void {
  if (answer.cluster === cluster || answer.cluster === accepted) return
  throw new Paused(`the primary is another cluster: ${answer.cluster} instead of ${cluster}`)
}

/**
 * Protects the records of a former primary, which its successor may never have received.
 *
 * @throws Paused
 */
export async function requireNoPrimary(store: Store, { index, cluster }: ReceivedAnswer): Promise<void> {
  if (!hasSeenPromotion(index, store.commitIndex()) || (await isEmpty(store))) return
  throw new Paused(`the primary was promoted, and this datacenter has records of its own: accept ${cluster}`)
}

/** Whether a local token has this accessor. If it is empty, whether any local legacy token still waits for its accessor. */
export async function isHolder(store: Store, accessorId: string): Promise<boolean> {
  if (accessorId === '') return (await store.countTokens({ withoutAccessor: true, local: true })) > 0
  return (await store.tokenByAccessor(accessorId))?.Local === true
}

/** Whether replication has written nothing yet, except copies from legacy mode. */
export async function isEmpty(store: Store): Promise<boolean> {
  const directory = store.directory()
  for (const records of [directory.policies(), directory.roles(), directory.namespaces()]) {
    for (const _ of records) return false
  }
  const copies = await store.countTokens({ withoutAccessor: true, local: false })
  return (await store.countTokens({ local: false })) === copies
}
