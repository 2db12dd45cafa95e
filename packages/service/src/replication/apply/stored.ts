/** Reads the stored records that an answer of the primary affects. */
import type { TokenRecord } from '@latchkey/acl'
import type { Store } from '../../store/store.ts'
import type { Stored } from './changes-for.ts'
import { idsOf, type Received } from './received.ts'

/**
 * Which received tokens are looked up. `older`: those that the primary created up to an index, because later ones cannot be
 * here; if a local token has one of their IDs, the commit conflicts. `all`: all of them, also compared with every local token.
 */
export type LookUp = { readonly older: number } | 'all'

/** Concurrent token look-ups. Stores batch the look-ups of one turn into few statements. */
const CONCURRENT_LOOKUPS = 512

export async function readStored(store: Store, received: Received, lookUp: LookUp): Promise<Stored> {
  const known =
    lookUp === 'all'
      ? received.tokens
      : received.tokens.filter(({ CreateIndex }) => CreateIndex <= lookUp.older)
  const accessors = [
    ...received.deleted.tokens,
    ...received.unusable.flatMap(({ accessorId }) => accessorId || []),
    ...known.map(({ AccessorID }) => AccessorID),
  ]
  const tokens = new Set(
    await findAll(accessors, (id) => store.tokenByAccessor(id), store.memory?.tokenByAccessor),
  )
  if (lookUp === 'all') {
    const secrets = known.map(({ SecretID }) => SecretID)
    for (const token of await findAll(
      secrets,
      (id) => store.tokenBySecret(id),
      store.memory?.tokenBySecret,
    )) {
      tokens.add(token)
    }
    for (const token of await localHolders(store, known)) tokens.add(token)
  }
  return {
    directory: store.directory(),
    tokens: uniqueBySecret([...(received.strays ?? []), ...tokens]),
    ownNamespaces: new Set(await inUse(store, received.deleted.namespaces)),
  }
}

/** Look-ups of one token may return different objects. */
function uniqueBySecret(tokens: Iterable<TokenRecord>): readonly TokenRecord[] {
  return [...new Map([...tokens].map((token) => [token.SecretID, token])).values()]
}

async function findAll(
  ids: readonly string[],
  ask: (id: string) => Promise<TokenRecord | undefined>,
  recall: ((id: string) => { readonly record: TokenRecord | undefined } | undefined) | undefined,
): Promise<readonly TokenRecord[]> {
  const found: TokenRecord[] = []
  for (let start = 0; start < ids.length; start += CONCURRENT_LOOKUPS) {
    const some = ids.slice(start, start + CONCURRENT_LOOKUPS)
    const tokens = await Promise.all(
      some.map((id) => {
        const known = recall?.(id)
        return known ? known.record : ask(id)
      }),
    )
    found.push(...tokens.filter((token) => token !== undefined))
  }
  return found
}

/** Local tokens that share an ID with a received token, ignoring case. */
async function localHolders(store: Store, received: readonly TokenRecord[]): Promise<readonly TokenRecord[]> {
  const ids = new Set(received.flatMap(idsOf))
  const holders: TokenRecord[] = []
  for await (const page of store.tokens({ local: true })) {
    holders.push(...page.filter((token) => idsOf(token).some((id) => ids.has(id))))
  }
  return holders
}

/** The namespaces that contain keys, services, local tokens, auth methods or binding rules. */
async function inUse(store: Store, namespaces: readonly string[]): Promise<readonly string[]> {
  const used: string[] = []
  for (const namespace of new Set(namespaces)) if (await holdsOwn(store, namespace)) used.push(namespace)
  return used
}

async function holdsOwn(store: Store, namespace: string): Promise<boolean> {
  const directory = store.directory()
  for (const { Namespace } of directory.authMethods()) if (Namespace === namespace) return true
  for (const { Namespace } of directory.bindingRules()) if (Namespace === namespace) return true
  if (
    store
      .catalog()
      .services()
      .some(({ Namespace }) => Namespace === namespace)
  )
    return true
  if ((await store.countTokens({ namespace, local: true })) > 0) return true
  for await (const keys of store.kvKeys({ namespace, prefix: '', limit: 1 })) if (keys.length > 0) return true
  return false
}
