/** Commits an answer of the primary together with the cursor. Decisions: replication. */
import { isSame, type ReplicationRecord, type SkippedToken, type TokenRecord } from '@latchkey/acl'
import { putSystem } from '../../store/changes.ts'
import { type Store, StoreConflict } from '../../store/store.ts'
import { partsOf } from '../../turns.ts'
import { Paused } from '../primary.ts'
import { type AppliedCounts, changesFor, type Stored } from './changes-for.ts'
import { idsOf, type Received } from './received.ts'

const SKIPPED_MAX = 1_000

export interface StoredCursor {
  readonly record: ReplicationRecord | undefined
  /** The ModifyIndex of the record. The next commit expects it, so if two processes replicate, one of them fails. */
  readonly fence: number
}

export function readCursor(store: Store): StoredCursor {
  const stored = store.directory().system('replication')
  return { record: stored?.Value, fence: stored?.ModifyIndex ?? 0 }
}

/**
 * @param next the record after the commit, with the tokens skipped and namespaces kept so far.
 * @returns how much was written, nothing if nothing differed; and the new fence.
 * @throws StoreConflict; Paused if too many tokens cannot be stored.
 */
export async function commitReceived(
  store: Store,
  received: Received,
  next: ReplicationRecord,
  options: { readonly fence: number; readonly lookUp: LookUp; readonly isSlice: boolean },
): Promise<{ readonly counts?: AppliedCounts; readonly fence: number }> {
  const { keptNamespaces = [], ...rest } = next
  const leaving = keptNamespaces.filter((name) => received.namespaces.every(({ Name }) => Name !== name))
  const namespaces = [...new Set([...received.deleted.namespaces, ...leaving])]
  const whole = { ...received, deleted: { ...received.deleted, namespaces } }
  const commit = async (lookUp: LookUp): ReturnType<typeof commitReceived> => {
    const applied = changesFor(whole, await readStored(store, whole, lookUp), options.isSlice)
    // If a local token blocks a received one, the stored previous version must be deleted, and may not have been looked up.
    const isHeld = applied.skipped.some(({ heldBy }) => heldBy !== undefined)
    if (isHeld && lookUp !== 'all') return commit('all')
    const skipped = mergeSkipped(next.skipped, received, applied.skipped)
    const kept = applied.keptNamespaces
    const Value = { ...rest, skipped, ...(kept.length === 0 ? {} : { keptNamespaces: kept }) }
    if (applied.changes.length === 0 && isSame(Value, readCursor(store).record))
      return { fence: options.fence }
    const fence = await store.commit([...applied.changes, putSystem('replication', Value, options.fence)])
    return { counts: applied.counts, fence }
  }
  try {
    return await commit(options.lookUp)
  } catch (error) {
    if (!(error instanceof StoreConflict) || options.lookUp === 'all') throw error
    await store.refresh('consistent')
    if (readCursor(store).fence !== options.fence) throw error
    return commit('all')
  }
}

function mergeSkipped(
  before: readonly SkippedToken[],
  { tokens, deleted }: Received,
  now: readonly SkippedToken[],
): readonly SkippedToken[] {
  const gone = new Set([
    ...tokens.map(({ AccessorID }) => AccessorID.toLowerCase()),
    ...deleted.tokens,
    ...now.map(({ accessorId }) => accessorId.toLowerCase()),
  ])
  const merged = [...before.filter(({ accessorId }) => !gone.has(accessorId.toLowerCase())), ...now]
  if (merged.length <= SKIPPED_MAX) return merged
  throw new Paused(`more than ${SKIPPED_MAX} global tokens cannot be stored here`)
}

/**
 * Which received tokens are looked up. `older`: those that the primary created up to an index, because later ones cannot be
 * here; if a local token has one of their IDs, the commit conflicts. `all`: all of them, also compared with every local token.
 */
type LookUp = { readonly older: number } | 'all'

/** Concurrent token look-ups. Stores batch the look-ups of one turn into few statements. */
const CONCURRENT_LOOKUPS = 512

async function readStored(store: Store, received: Received, lookUp: LookUp): Promise<Stored> {
  const older = lookUp === 'all' ? Number.POSITIVE_INFINITY : lookUp.older
  const known = received.tokens.filter(({ CreateIndex }) => CreateIndex <= older)
  const accessors = [
    ...received.deleted.tokens,
    ...received.unusable.flatMap(({ accessorId }) => accessorId || []),
    ...known.map(({ AccessorID }) => AccessorID),
  ]
  const tokens = await findAll(accessors, (id) => store.tokenByAccessor(id))
  if (lookUp === 'all') {
    const secrets = known.map(({ SecretID }) => SecretID)
    tokens.push(...(await findAll(secrets, (id) => store.tokenBySecret(id))))
    tokens.push(...(await localHolders(store, known)))
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
  find: (id: string) => Promise<TokenRecord | undefined>,
): Promise<TokenRecord[]> {
  const found: TokenRecord[] = []
  for (const part of partsOf(ids, CONCURRENT_LOOKUPS)) {
    const tokens = await Promise.all(part.map(find))
    found.push(...tokens.filter((token) => token !== undefined))
  }
  return found
}

/** Local tokens that share an ID with a received token, ignoring case. */
async function localHolders(store: Store, received: readonly TokenRecord[]): Promise<readonly TokenRecord[]> {
  const ids = new Set(received.flatMap(idsOf))
  const holders: TokenRecord[] = []
  for await (const page of store.tokens({ local: true }))
    holders.push(...page.filter((token) => idsOf(token).some((id) => ids.has(id))))
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
