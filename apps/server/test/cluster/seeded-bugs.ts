/**
 * Stores with one bug each, put between the API and a right store: what the checkers of COH-01 must find. Each is a
 * mistake that was made in some service of this kind, and none of them is rare enough to be excused.
 */

import type { TokenRecord } from '@latchkey/acl'
import type { Change, Store } from '@latchkey/service'
import type { PostgresStore } from '../../src/storage/postgres-store.ts'

export interface SeededBug {
  readonly name: string
  /** Makes the store of one node. Called once per node, in order. */
  readonly wrap: (store: PostgresStore, node: number) => Store
}

/** How long what is out of date stays so, in milliseconds: a few operations of a history. */
const OUTDATED_MS = 20

export const SEEDED_BUGS: readonly SeededBug[] = [
  {
    name: 'a cache of tokens that updates on other nodes do not clear',
    wrap: (store) => staleCache(store, OUTDATED_MS),
  },
  {
    name: 'trust in the change feed: default reads are not confirmed, and notifications come late',
    wrap: (store) =>
      withOverrides(store, {
        refresh: async (mode) =>
          mode === 'default' ? { knownLeader: true, lastContactMs: 0 } : store.refresh(mode),
      }),
  },
  {
    name: 'consistent reads are confirmed by a question that was asked before',
    wrap: (store) => {
      let last = { at: Number.NEGATIVE_INFINITY, answer: store.refresh('consistent') }
      return withOverrides(store, {
        refresh(mode) {
          if (mode !== 'consistent') return store.refresh(mode)
          if (performance.now() - last.at > OUTDATED_MS) {
            last = { at: performance.now(), answer: store.refresh(mode) }
          }
          return last.answer
        },
        // The question was a good one when it was asked, and so were the records that are remembered since.
        tokenByAccessor: rememberedFor(OUTDATED_MS, (accessorId: string) =>
          store.tokenByAccessor(accessorId),
        ),
        tokenBySecret: rememberedFor(OUTDATED_MS, (secretId: string) => store.tokenBySecret(secretId)),
      })
    },
  },
  {
    name: 'an index that goes back on one of the nodes',
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
    name: 'one write in twenty that is acknowledged and lost',
    wrap: (store) => {
      let writes = 0
      return withOverrides(store, {
        async commit(changes) {
          writes += 1
          return writes % 20 === 0 ? store.tableIndex('tokens') + 1 : store.commit(changes)
        },
      })
    },
  },
  {
    name: 'writes that do not look whether the record is still the one they were decided on',
    wrap: (store) =>
      withOverrides(store, { commit: (changes) => store.commit(changes.map(withoutExpectation)) }),
  },
  {
    name: 'deletes that leave the secret in a cache for a while',
    wrap: (store) =>
      withOverrides(store, {
        tokenBySecret: rememberedFor(OUTDATED_MS, (secretId: string) => store.tokenBySecret(secretId)),
      }),
  },
  {
    name: 'lists whose pages are of two moments',
    wrap: (store) =>
      withOverrides(store, {
        async *tokens(filter) {
          const first = (await all(store, filter)).filter((_, place) => place % 2 === 0)
          await new Promise((resolve) => setTimeout(resolve, OUTDATED_MS))
          const names = new Set(first.map(({ AccessorID }) => AccessorID))
          const second = (await all(store, filter)).filter(({ AccessorID }) => !names.has(AccessorID))
          yield first
          yield second
        },
      }),
  },
]

/** A cache of tokens by accessor that only this node's own writes clear. */
export function staleCache(store: PostgresStore, outdatedMs: number): Store {
  const cached = new Map<string, { readonly token: TokenRecord | undefined; readonly until: number }>()
  return withOverrides(store, {
    async tokenByAccessor(accessorId) {
      const known = cached.get(accessorId)
      if (known && performance.now() < known.until) return known.token
      const token = await store.tokenByAccessor(accessorId)
      cached.set(accessorId, { token, until: performance.now() + outdatedMs })
      return token
    },
    async commit(changes) {
      const index = await store.commit(changes)
      cached.clear()
      return index
    },
  })
}

/** The store with some methods replaced; the others run on the store itself. */
export function withOverrides(store: PostgresStore, overrides: Partial<Store>): Store {
  // Without a memory, every read asks the overrides.
  return Object.assign(Object.create(store), { memory: undefined }, overrides)
}

/** An update only: what must not happen twice is still refused. */
function withoutExpectation(change: Change): Change {
  return change.table === 'tokens' && change.expect !== 0 ? { ...change, expect: undefined } : change
}

function rememberedFor(ms: number, find: (id: string) => ReturnType<Store['tokenBySecret']>) {
  const known = new Map<string, { readonly token: TokenRecord; readonly until: number }>()
  return async (id: string) => {
    const entry = known.get(id)
    if (entry && performance.now() < entry.until) return entry.token
    const token = await find(id)
    if (token) known.set(id, { token, until: performance.now() + ms })
    return token
  }
}

async function all(store: Store, filter: Parameters<Store['tokens']>[0]): Promise<readonly TokenRecord[]> {
  const tokens: TokenRecord[] = []
  for await (const page of store.tokens(filter)) tokens.push(...page)
  return tokens
}
