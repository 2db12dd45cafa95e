/** When an answer of the primary may be applied to what is stored here. */
import { hasSeenPromotion, type ReplicationRecord } from '@latchkey/acl'
import type { Store } from '../../store/store.ts'
import { Paused } from '../pause.ts'
import type { ReceivedAnswer } from './received.ts'

/** @throws Error for an answer that came late: what it shows is older than what is there. */
export function requireNewer(answer: ReceivedAnswer, { index }: { readonly index: number }): void {
  if (answer.index < index) throw new Error(`the answer is of index ${answer.index}, and ${index} is there`)
}

/** @throws Paused for another cluster that no operator has accepted. */
export function requireAccepted({ cluster, accepted }: ReplicationRecord, answer: ReceivedAnswer): void {
  if (answer.cluster === cluster || answer.cluster === accepted) return
  throw new Paused(`the primary is another cluster: ${answer.cluster} instead of ${cluster}`)
}

/**
 * A primary that another datacenter replaced has records that its successor never had.
 *
 * @throws Paused
 */
export async function requireNoPrimary(store: Store, { index, cluster }: ReceivedAnswer): Promise<void> {
  if (!hasSeenPromotion(index, store.commitIndex()) || (await isEmpty(store))) return
  throw new Paused(`the primary was promoted, and this datacenter has records of its own: accept ${cluster}`)
}

/** Whether a Local token has this accessor. A legacy one has none before its migration, which gives it one soon. */
export async function isHolder(store: Store, accessorId: string): Promise<boolean> {
  if (accessorId === '') return (await store.countTokens({ withoutAccessor: true, local: true })) > 0
  return (await store.tokenByAccessor(accessorId))?.Local === true
}

/** Whether nothing is stored that replication writes, besides copies from legacy mode. */
export async function isEmpty(store: Store): Promise<boolean> {
  const directory = store.directory()
  for (const records of [directory.policies(), directory.roles(), directory.namespaces()]) {
    for (const _ of records) return false
  }
  const copies = await store.countTokens({ withoutAccessor: true, local: false })
  return (await store.countTokens({ local: false })) === copies
}
