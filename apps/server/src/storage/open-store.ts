import type { Database } from '../database/connect.ts'
import type { KeyRing } from '../secrets/key-ring.ts'
import { ChangeFollower } from './change-follower.ts'
import { CommitQueue } from './commit-queue.ts'
import { LocalState } from './local-state.ts'
import { openSecrets } from './open-secrets.ts'
import { PostgresStore } from './postgres-store.ts'
import { Queries } from './queries.ts'
import { TokenCache } from './token-cache.ts'
import { TokenReader } from './token-reader.ts'
import { Waiters } from './waiters.ts'

export interface OpenStoreOptions {
  readonly database: Database
  readonly ring: KeyRing
  /** Bound of the token cache, in bytes. Default 64 MiB; 0 for none. */
  readonly tokenCacheBytes?: number
  /** False for `LATCHKEY_CACHE=off`: every answer from the database. */
  readonly isCaching?: boolean
}

const TOKEN_CACHE_BYTES = 67_108_864

/**
 * Opens the store of a migrated database.
 *
 * @throws StartError where the key ring is not the one of this database; AclError `unavailable`.
 */
export async function openStore(options: OpenStoreOptions): Promise<PostgresStore> {
  const { database, ring, tokenCacheBytes = TOKEN_CACHE_BYTES, isCaching = true } = options
  const secrets = await openSecrets(database.prisma, ring)
  const queries = new Queries(database.prisma)
  const state = new LocalState(new TokenCache(isCaching ? tokenCacheBytes : 0), new Waiters())
  const follower = new ChangeFollower(queries, state, { isReloading: !isCaching })
  const tokens = new TokenReader({ queries, state, follower, secrets })
  const commits = new CommitQueue({
    secrets,
    send: (writes) => queries.commit(writes),
    apply: async (before, last, own) => {
      if (own && isCaching && before === state.appliedIndex) state.applyOwn(own)
      else await follower.reach(last)
    },
  })
  await follower.start()
  return new PostgresStore({ queries, state, follower, tokens, commits })
}
