/** Computes the changes of one commit from an answer of the primary and the stored records. A pure function. */
import { DEFAULT_NAMESPACE, type Directory, idKey, type SkippedToken, type TokenRecord } from '@latchkey/acl'
import { put, remove } from '../../store/changes.ts'
import { byTable, type ReplicatedTable } from '../../store/replicated.ts'
import type { Change, RecordChange } from '../../store/store.ts'
import { idsOf, isSameContent, type Received } from './received.ts'

export interface Stored {
  readonly directory: Directory
  /** Tokens that share an ID with a received token, or whose deletion was received. */
  readonly tokens: readonly TokenRecord[]
  /** Namespaces that contain records of this datacenter's own. */
  readonly ownNamespaces: ReadonlySet<string>
}

export type AppliedCounts = Readonly<
  Record<ReplicatedTable, { readonly put: number; readonly deleted: number }>
>

export interface Applied {
  /** Ordered so that every change fits the ones before it. */
  readonly changes: readonly Change[]
  readonly skipped: readonly SkippedToken[]
  readonly keptNamespaces: readonly string[]
  readonly counts: AppliedCounts
}

/** @param isSlice whether the records are from different moments; the rest of a first copy corrects them. */
export function changesFor(received: Received, stored: Stored, isSlice: boolean): Applied {
  const tokens = tokenChanges(received, stored)
  const policies = namedChanges('policies', received, stored, isSlice)
  const roles = namedChanges('roles', received, stored, isSlice)
  const namespaces = namespaceChanges(received, stored, isSlice)
  const fits = (change: RecordChange) =>
    !isSlice || change.op === 'delete' || hasNamespace(change, received, stored)
  const all = [tokens.changes, roles, policies].map((changes) => changes.filter(fits))
  const [ofTokens = [], ofRoles = [], ofPolicies = []] = all
  const isDelete = ({ op }: RecordChange) => op === 'delete'
  const isPut = ({ op }: RecordChange) => op === 'put'
  const changes = [
    ...all.flat().filter(isDelete),
    ...namespaces.changes.filter(isPut),
    ...[ofPolicies, ofRoles, ofTokens].flat().filter(isPut),
    ...namespaces.changes.filter(isDelete),
  ]
  const counts = byTable((table) => {
    const ofTable = changes.filter((change) => change.table === table)
    const put = ofTable.filter(isPut).length
    return { put, deleted: ofTable.length - put }
  })
  return { changes, skipped: tokens.skipped, keptNamespaces: namespaces.kept, counts }
}

/** Skips a record of a slice whose namespace is newer than the first page. A later slice has both. */
function hasNamespace(
  { table, record }: RecordChange,
  { namespaces }: Received,
  { directory }: Stored,
): boolean {
  if (table === 'namespaces' || !('Namespace' in record)) return true
  const { Namespace } = record
  if (Namespace === DEFAULT_NAMESPACE || directory.namespace(Namespace) !== undefined) return true
  return namespaces.some(({ Name }) => Name === Namespace)
}

function tokenChanges(
  { tokens, unusable, deleted, strays = [] }: Received,
  { tokens: stored }: Stored,
): { readonly changes: readonly RecordChange[]; readonly skipped: readonly SkippedToken[] } {
  const byId = new Map(
    stored.flatMap((token) => idsOf(token).flatMap((id) => (id === '' ? [] : [[id, token] as const]))),
  )
  const ended = new Set<TokenRecord>()
  const puts: RecordChange[] = []
  const skipped: SkippedToken[] = [...unusable]
  const end = (holder: TokenRecord | undefined) => {
    if (holder && !holder.Local) ended.add(holder)
  }
  for (const key of deleted.tokens) end(byId.get(key))
  for (const { SecretID } of strays) end(byId.get(idKey(SecretID)))
  // An unusable token gives no rights, not even those of an earlier version.
  for (const { accessorId } of unusable) end(byId.get(accessorId.toLowerCase()))
  for (const token of tokens) {
    const [accessor = '', secret = ''] = idsOf(token)
    const holders = [byId.get(accessor), byId.get(secret)].filter((holder) => holder !== undefined)
    const own = holders.find(({ Local }) => Local)
    const same = holders.find((holder) => isSameToken(holder, token))
    if (own) {
      holders.forEach(end)
      skipped.push(heldBy(token, own))
      continue
    }
    for (const holder of holders) if (holder !== same) end(holder)
    if (same && isSameContent(same, token)) continue
    // Keeps the link to a local auth method that made the token: a former primary may become the primary again.
    const { AuthMethodGeneration } = same ?? token
    const record = { ...token, AuthMethodGeneration, CreateIndex: 0, ModifyIndex: 0 }
    puts.push(put('tokens', record, same))
  }
  const deletes = [...ended].map((record) => remove('tokens', record))
  return { changes: [...deletes, ...puts], skipped }
}

/** A copy from legacy mode has no accessor yet. Spec 9.2.3. */
function isSameToken(holder: TokenRecord, { AccessorID, SecretID }: TokenRecord): boolean {
  if (holder.SecretID !== SecretID) return false
  return holder.AccessorID === '' || holder.AccessorID.toLowerCase() === AccessorID.toLowerCase()
}

function heldBy({ AccessorID }: TokenRecord, { AccessorID: heldBy }: TokenRecord): SkippedToken {
  const what = heldBy.toLowerCase() === AccessorID.toLowerCase() ? 'accessor' : 'accessor or secret'
  return { accessorId: AccessorID, reason: `a Local token of this datacenter has its ${what}`, heldBy }
}

/** Policies or roles: unique by ID, and by name within their namespace. */
function namedChanges(
  table: 'policies' | 'roles',
  received: Received,
  { directory }: Stored,
  isSlice: boolean,
): readonly RecordChange[] {
  const find = (id: string) => (table === 'policies' ? directory.policy(id) : directory.role(id))
  const holderOf = (namespace: string, name: string) =>
    table === 'policies' ? directory.policyByName(namespace, name) : directory.roleByName(namespace, name)
  const ended = new Set(received.deleted[table])
  const arrived = new Set(received[table].map(({ ID }) => ID))
  const puts: RecordChange[] = []
  for (const arriving of received[table]) {
    const existing = find(arriving.ID)
    const holder = isSlice ? holderOf(arriving.Namespace, arriving.Name) : undefined
    // In a slice, the holder of the name has changed since it arrived; the rest of the copy contains the change.
    if (holder && !arrived.has(holder.ID)) ended.add(holder.ID)
    if (existing && isSameContent<typeof arriving>(existing, arriving)) continue
    const record = { ...arriving, CreateIndex: 0, ModifyIndex: 0 }
    puts.push(put(table, record, existing))
  }
  const deletes = [...ended].flatMap((id): RecordChange[] => {
    const record = find(id)
    return record ? [remove(table, record)] : []
  })
  return [...deletes, ...puts]
}

function namespaceChanges(
  { namespaces, deleted }: Received,
  { directory, ownNamespaces }: Stored,
  isSlice: boolean,
): { readonly changes: readonly RecordChange[]; readonly kept: readonly string[] } {
  const puts = namespaces.flatMap((arriving): RecordChange[] => {
    const existing = directory.namespace(arriving.Name)
    if (existing && isSameContent(existing, arriving)) return []
    const record = { ...arriving, CreateIndex: 0, ModifyIndex: 0 }
    return [put('namespaces', record, existing)]
  })
  const existing = deleted.namespaces.filter((name) => directory.namespace(name) !== undefined)
  // After a slice, records of a deleted namespace may remain.
  const isKept = (name: string) => isSlice || ownNamespaces.has(name)
  const deletes = existing.flatMap((name): RecordChange[] => {
    const record = isKept(name) ? undefined : directory.namespace(name)
    return record ? [remove('namespaces', record)] : []
  })
  return { changes: [...puts, ...deletes], kept: existing.filter(isKept) }
}
