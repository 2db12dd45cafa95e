/**
 * Stores with one bug each, between the API and a correct store, that the checkers of COH-01 must find. Real services of this
 * kind have had each of these bugs.
 */

import type { TokenRecord } from '@latchkey/acl'
import type { Change, Store } from '@latchkey/service'
import type { PostgresStore } from '../../../src/storage/open-store.ts'

export interface SeededBug {
  readonly name: string
  /** Creates the store of one node. Called once per node, in order. */
  readonly wrap: (store: PostgresStore, node: number) => Store
}

/** For how many more lookups outdated state is used: some operations of a history, however slow the machine is. */
const OUTDATED_LOOKUPS = 40
/** Time between the two moments of a list, in milliseconds. */
const BETWEEN_MS = 20

export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    name: 'a cache of tokens that updates on other nodes do not clear',
    wrap: (store) => staleCache(store, OUTDATED_LOOKUPS),
  },
  {
    name: 'trust in the change feed: default reads are not confirmed, and notifications arrive late',
    wrap: (store) =>
      withOverrides(store, {
        refresh: async (mode) =>
          mode === 'default' ? { knownLeader: true, lastContactMs: 0 } : store.refresh(mode),
      }),
  },
  {
    name: 'an index that decreases on one of the nodes',
    wrap: (store, node) => {
      if (node > 0) return store
      let answers = 0
      return withOverrides(store, {
        tableIndex(table) {
          answers += 1
          return store.tableIndex(table) - (answers % 8 === 0 ? 1 : 0)
        },
      })
    },
  },
  {
    name: 'writes that are acknowledged before they are committed',
    wrap: (store) =>
      withOverrides(store, {
        async commit(changes) {
          const committed = store.commit(changes)
          committed.catch(() => {})
          const early = new Promise<number>((resolve) =>
            setImmediate(() => resolve(store.tableIndex('tokens') + 1)),
          )
          return Promise.race([committed, early])
        },
      }),
  },
  {
    name: 'writes that do not check whether the record has changed since it was read',
    wrap: (store) =>
      withOverrides(store, { commit: (changes) => store.commit(changes.map(withoutExpectation)) }),
  },
  {
    name: 'deletes that leave the secret in a cache for a while',
    wrap: (store) =>
      withOverrides(store, {
        tokenBySecret: rememberedFor(OUTDATED_LOOKUPS, (secretId: string) => store.tokenBySecret(secretId)),
      }),
  },
  {
    name: 'lists whose pages show two different moments',
    wrap: (store) =>
      withOverrides(store, {
        async *tokens(filter) {
          const first = (await all(store, filter)).filter((_, place) => place % 2 === 0)
          await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS))
          const names = new Set(first.map(({ AccessorID }) => AccessorID))
          const second = (await all(store, filter)).filter(({ AccessorID }) => !names.has(AccessorID))
          yield first
          yield second
        },
      }),
  },
]

/** Makes all processes of a database commit without waiting for the end of the others' leases. */
export const COMMIT_WITHOUT_WAITING = `CREATE OR REPLACE FUNCTION
  latchkey_close_leases(author text, author_beat bigint, waited text) RETURNS json LANGUAGE sql AS 'SELECT NULL::json'`

/** A cache of tokens by accessor that is invalidated only by this node's own changes. */
export function staleCache(store: PostgresStore, lookups: number): Store {
  const cached = new Map<string, { readonly token: TokenRecord | undefined; readonly until: number }>()
  let count = 0
  return withOverrides(store, {
    async tokenByAccessor(accessorId) {
      count += 1
      const known = cached.get(accessorId)
      if (known && count < known.until) return known.token
      const token = await store.tokenByAccessor(accessorId)
      cached.set(accessorId, { token, until: count + lookups })
      return token
    },
    async commit(changes) {
      const index = await store.commit(changes)
      for (const change of changes) if (change.table === 'tokens') cached.delete(change.record.AccessorID)
      return index
    },
  })
}

/** The store with some methods replaced. */
export function withOverrides(store: PostgresStore, overrides: Partial<Store>): Store {
  // Without an in-memory copy, so every read calls the overrides.
  return Object.assign(Object.create(store), { memory: undefined }, overrides)
}

/** Drops the expectation of updates; creates still fail if the record exists. */
function withoutExpectation(change: Change): Change {
  return change.table === 'tokens' && change.expect !== 0 ? { ...change, expect: undefined } : change
}

function rememberedFor(lookups: number, find: (id: string) => ReturnType<Store['tokenBySecret']>) {
  const known = new Map<string, { readonly token: TokenRecord; readonly until: number }>()
  let count = 0
  return async (id: string) => {
    count += 1
    const entry = known.get(id)
    if (entry && count < entry.until) return entry.token
    const token = await find(id)
    if (token) known.set(id, { token, until: count + lookups })
    return token
  }
}

async function all(store: Store, filter: Parameters<Store['tokens']>[0]): Promise<readonly TokenRecord[]> {
  const tokens: TokenRecord[] = []
  for await (const page of store.tokens(filter)) tokens.push(...page)
  return tokens
}
