import type { ReplicationRecord } from '@latchkey/acl'
import type { Store } from '../store/store.ts'
import type { AppliedCounts } from './apply/changes-for.ts'
import { type CommitOptions, commitReceived } from './apply/commit-received.ts'
import type { Received } from './apply/received.ts'
import type { ChangesQuery } from './changes-source.ts'

/** The result of one request to the primary. */
export interface Round {
  /** `copied`: part of a copy or repair is done; see `ReplicationStep`. */
  readonly outcome: 'applied' | 'unchanged' | 'copied' | 'paused' | 'ended'
  readonly counts?: AppliedCounts | undefined
}

export interface FollowedKinds {
  readonly kinds: 'all' | 'withoutTokens'
}

/** For a request that must be answered immediately. */
export const NO_WAIT_MS = 1
/** Looks up all received tokens, for records from different moments. */
export const ALL = { older: Number.POSITIVE_INFINITY } as const

/** Commits received records together with the cursor. @throws as {@link commitReceived}. */
export async function applyReceived(
  store: Store,
  received: Received,
  next: ReplicationRecord,
  options: CommitOptions,
): Promise<Round> {
  const counts = await commitReceived(store, received, next, options)
  const isChange = Object.values(counts ?? {}).some(({ put, deleted }) => put + deleted > 0)
  return { outcome: isChange ? 'applied' : 'unchanged', counts }
}

export function changesSince(
  { index, cluster }: Pick<ReplicationRecord, 'index' | 'cluster'>,
  waitMs: number,
): ChangesQuery {
  return { index, cluster, wait: `${waitMs}ms`, staged: true }
}

/** The mark in the cursor for the kinds that are followed. */
export function markOf({ kinds }: FollowedKinds): { readonly withoutTokens?: true } {
  return kinds === 'withoutTokens' ? { withoutTokens: true } : {}
}

export function countOf({ namespaces, policies, roles, tokens }: Received): number {
  return namespaces.length + policies.length + roles.length + tokens.length
}
