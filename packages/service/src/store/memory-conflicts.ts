/**
 * The conflict rules of the memory store: see the port. If there are several conflicts, both stores report the same one. Token
 * deletions are checked first, then the directory, then other tokens and keys, and last the deleted namespaces.
 */
import type { AuthMethodRecord, Directory, TokenRecord } from '@latchkey/acl'
import { DEFAULT_NAMESPACE, idKey, methodOf } from '@latchkey/acl'
import { type Catalog, type Expectation, keepsCatalogWhole } from '@latchkey/catalog'
import { keyOf } from './claims.ts'
import type { MemorySessionTimes } from './memory/ports.ts'
import type { Change, RecordChange, RecordOf, TableName } from './store.ts'
import { isOfCatalog, StoreConflict } from './store.ts'

/** The stored state, and what the memory store derives from it. */
export interface StoredState {
  readonly tables: { readonly [T in TableName]: ReadonlyMap<string, RecordOf[T]> }
  readonly directory: Directory
  readonly catalog: Catalog
  readonly sessionTimes: Pick<MemorySessionTimes, 'isDelayedNow' | 'isExpired'>
  /** Secrets by lower-case accessor. */
  readonly secretByAccessor: ReadonlyMap<string, string>
  /** How many secrets share a key. */
  readonly secretKeys: ReadonlyMap<string, number>
}

type TokenChange = Extract<Change, { readonly table: 'tokens' }>
type TreeChange = Extract<Change, { readonly op: 'delete-tree' }>
type RowChange = Extract<Change, { readonly table: 'tokens' | 'kv' }>
type DirectoryChange = Exclude<Change, RowChange>

/** @throws StoreConflict if the changes do not apply to the stored state. */
export function checkAgainst(state: StoredState, changes: readonly Change[]): void {
  const deletes = changes.filter(isTokenDelete)
  const directory = changes.filter((change): change is DirectoryChange => !isRow(change))
  const rows = changes.filter((change): change is RowChange => isRow(change) && !isTokenDelete(change))
  const { tokens } = state.tables
  for (const change of deletes) checkExpected(change, tokens.get(change.record.SecretID))
  checkDirectory(state, directory)
  if (!keepsAuthMethods(state, directory)) throw new StoreConflict('changed')
  if (!keepsCatalogWhole(changes.filter(isOfCatalog), state.catalog)) throw new StoreConflict('changed')
  const left = new LeftTokens(state, deletes)
  const trees = changes.filter((change): change is TreeChange => change.op === 'delete-tree')
  const made = namesMade(directory)
  for (const change of rows) {
    if (change.op === 'delete-tree') continue
    checkTokenIds(left, change)
    const existing =
      change.table === 'tokens' ? left.bySecret(change.record.SecretID) : storedEntry(state, trees, change)
    checkExpected(change, existing)
    checkNamespace(state, made, change)
    checkLock(state, directory, change)
  }
  checkLiveTokens(state.directory, left, rows)
  for (const { table, op, record } of directory) {
    const isHeld = table === 'namespaces' && op === 'delete' && holdsAnything(state, record.Name, changes)
    if (isHeld) throw new StoreConflict('changed')
  }
}

function isRow(change: Change): change is RowChange {
  return change.table === 'tokens' || change.table === 'kv'
}

function isTokenDelete(change: Change): change is TokenChange {
  return change.table === 'tokens' && change.op === 'delete'
}

/**
 * Token deletions first, because other changes of the commit may claim their IDs. Then trees, before keys are put into them.
 */
export function inOrderOfEffect(changes: readonly Change[]): readonly Change[] {
  const placeOf = (change: Change) => (isTokenDelete(change) ? 0 : change.op === 'delete-tree' ? 1 : 2)
  return [...changes].sort((a, b) => placeOf(a) - placeOf(b))
}

function checkExpected(
  { expect }: RecordChange,
  existing: { readonly ModifyIndex: number } | undefined,
): void {
  if (expect !== undefined && (existing?.ModifyIndex ?? 0) !== expect) throw new StoreConflict('changed')
}

class LeftTokens {
  private readonly state: StoredState
  private readonly gone = new Set<string>()
  private readonly freed = new Map<string, number>()

  constructor(state: StoredState, deletes: readonly TokenChange[]) {
    this.state = state
    for (const { record } of deletes) {
      if (!state.tables.tokens.has(record.SecretID)) continue
      const key = idKey(record.SecretID)
      this.gone.add(record.SecretID)
      this.freed.set(key, (this.freed.get(key) ?? 0) + 1)
    }
  }

  bySecret(secretId: string): TokenRecord | undefined {
    return this.gone.has(secretId) ? undefined : this.state.tables.tokens.get(secretId)
  }

  /** @param accessorKey in lower case. @returns the secret. */
  byAccessor(accessorKey: string): string | undefined {
    const secret = this.state.secretByAccessor.get(accessorKey)
    return secret === undefined || this.gone.has(secret) ? undefined : secret
  }

  hasSecretLike(key: string): boolean {
    return (this.state.secretKeys.get(key) ?? 0) > (this.freed.get(key) ?? 0)
  }

  countOf(generation: number): number {
    let count = 0
    for (const { SecretID, AuthMethodGeneration } of this.state.tables.tokens.values()) {
      if (AuthMethodGeneration === generation && !this.gone.has(SecretID)) count += 1
    }
    return count
  }
}

function checkDirectory(state: StoredState, changes: readonly DirectoryChange[]): void {
  const changed = new Set(changes.map((change) => `${change.table}/${keyOf(change)}`))
  const made = namesMade(changes)
  for (const change of changes) {
    // If the commit also changes the holder of the name, the name is free.
    const holder = change.op === 'put' ? holderOfName(state.directory, change) : undefined
    if (holder && !changed.has(`${change.table}/${holder.ID}`)) throw new StoreConflict('name_in_use')
    checkExpected(change, state.tables[change.table].get(keyOf(change)))
    if ('ifExpired' in change && !state.sessionTimes.isExpired(change.record.ID))
      throw new StoreConflict('changed')
    checkNamespace(state, made, change)
  }
}

function holderOfName(
  directory: Directory,
  { table, record }: DirectoryChange,
): { readonly ID: string } | undefined {
  if (table === 'policies') return directory.policyByName(record.Namespace, record.Name)
  return table === 'roles' ? directory.roleByName(record.Namespace, record.Name) : undefined
}

/** Namespaces that the commit puts. */
function namesMade(changes: readonly DirectoryChange[]): ReadonlySet<string> {
  const made = new Set<string>()
  for (const { table, op, record } of changes)
    if (table === 'namespaces' && op === 'put') made.add(record.Name)
  return made
}

/** A record can only be put into a namespace that exists, or that the same commit puts. */
function checkNamespace({ tables }: StoredState, made: ReadonlySet<string>, change: RecordChange): void {
  if (change.op === 'delete' || !('Namespace' in change.record)) return
  const { Namespace } = change.record
  if (Namespace === DEFAULT_NAMESPACE || tables.namespaces.has(Namespace) || made.has(Namespace)) return
  throw new StoreConflict('changed')
}

/** A key can only be put with a session that exists, or that the same commit puts, and if no lock delay blocks it. */
function checkLock(
  { tables, catalog, sessionTimes }: StoredState,
  directory: readonly DirectoryChange[],
  change: RecordChange,
): void {
  if (change.table !== 'kv' || change.op === 'delete' || change.expect === undefined) return
  const { Namespace, Key, Session } = change.record
  if (Session === undefined) return
  const isNew = directory.some(
    ({ table, op, record }) => table === 'sessions' && op === 'put' && record.ID === Session,
  )
  if (!isNew && !catalog.sessions.get(Session)) throw new StoreConflict('changed')
  const isHeld = tables.kv.get(keyOf(change))?.Session === Session
  if (!isHeld && sessionTimes.isDelayedNow(Namespace, Key)) throw new StoreConflict('changed')
}

/** Whether every affected binding rule still has its auth method after the changes. */
function keepsAuthMethods({ directory }: StoredState, changes: readonly DirectoryChange[]): boolean {
  const ended = new Set(
    changes.flatMap((change) =>
      change.table === 'bindingRules' && change.op === 'delete' ? change.record.ID : [],
    ),
  )
  return changes.every((change) => {
    if (change.table === 'bindingRules' && change.op === 'put') {
      const { Namespace, AuthMethod } = change.record
      return directory.authMethod(Namespace, AuthMethod) !== undefined
    }
    if (change.table !== 'authMethods' || change.op !== 'delete') return true
    return directory.bindingRulesOf(change.record).every(({ ID }) => ended.has(ID))
  })
}

/** IDs are unique across accessors and secrets, case-insensitively. Decisions: tokens. */
function checkTokenIds(left: LeftTokens, change: RecordChange): void {
  if (change.table !== 'tokens' || change.op !== 'put') return
  const { record, expect } = change
  if (record.AccessorID !== '') {
    const holder = left.byAccessor(record.AccessorID.toLowerCase())
    const isTaken = holder !== undefined && holder !== record.SecretID
    const isSecret = expect === 0 && left.hasSecretLike(idKey(record.AccessorID))
    if (isTaken || isSecret) throw new StoreConflict('accessor_in_use')
  }
  if (expect !== 0) return
  const key = idKey(record.SecretID)
  if (left.byAccessor(key) !== undefined || left.hasSecretLike(key)) throw new StoreConflict('secret_in_use')
}

/** @throws StoreConflict if an auth method would exceed its maximum number of tokens. */
function checkLiveTokens(directory: Directory, left: LeftTokens, changes: readonly RowChange[]): void {
  const added = new Map<AuthMethodRecord, number>()
  for (const change of changes) {
    if (change.table !== 'tokens' || change.op !== 'put' || change.expect !== 0) continue
    const method = methodOf(change.record, directory)
    if (method?.MaxLiveTokens !== undefined) added.set(method, (added.get(method) ?? 0) + 1)
  }
  for (const [{ Generation, MaxLiveTokens = 0 }, count] of added) {
    if (left.countOf(Generation) + count > MaxLiveTokens) throw new StoreConflict('method_full')
  }
}

/** The stored key of a change, unless the commit deletes a tree that contains it. */
function storedEntry(
  { tables }: StoredState,
  trees: readonly TreeChange[],
  { record }: Extract<RowChange, { readonly table: 'kv'; readonly op: 'put' | 'delete' }>,
) {
  const isGone = trees.some(
    ({ namespace, prefix }) => namespace === record.Namespace && record.Key.startsWith(prefix),
  )
  return isGone ? undefined : tables.kv.get(`${record.Namespace}/${record.Key}`)
}

function holdsAnything({ tables }: StoredState, namespace: string, changes: readonly Change[]): boolean {
  if (namespace === DEFAULT_NAMESPACE) return false
  const changed = new Set<string>()
  for (const change of changes) {
    if (change.op === 'delete-tree' || !('Namespace' in change.record)) continue
    if (change.op === 'put' && change.record.Namespace === namespace) return true
    changed.add(`${change.table}/${keyOf(change)}`)
  }
  const isTreeGone = (key: string) =>
    changes.some(
      (change) =>
        change.op === 'delete-tree' && change.namespace === namespace && key.startsWith(change.prefix),
    )
  const tablesWithNamespace = [
    'tokens',
    'policies',
    'roles',
    'kv',
    'authMethods',
    'bindingRules',
    'services',
    'checks',
  ] as const
  return tablesWithNamespace.some((table) => {
    for (const [key, record] of tables[table]) {
      if (record.Namespace !== namespace || changed.has(`${table}/${key}`)) continue
      if (!('Key' in record && isTreeGone(record.Key))) return true
    }
    return false
  })
}

/** Whether an expectation of a commit still holds. */
export function holds(
  expected: Expectation,
  { tables, catalog }: Pick<StoredState, 'tables' | 'catalog'>,
): boolean {
  if (expected.table !== 'kv') {
    const { table, key, modifyIndex } = expected
    return (catalog.get(table, key)?.ModifyIndex ?? 0) === modifyIndex
  }
  const { namespace, modifyIndex } = expected
  if ('key' in expected)
    return (tables.kv.get(`${namespace}/${expected.key}`)?.ModifyIndex ?? 0) === modifyIndex
  let count = 0
  let newest = 0
  for (const { Namespace, Key, ModifyIndex } of tables.kv.values()) {
    if (Namespace !== namespace || !Key.startsWith(expected.prefix)) continue
    count += 1
    newest = Math.max(newest, ModifyIndex)
  }
  return count === expected.count && newest === modifyIndex
}
