/** What other datacenters follow. Decisions: changes. */
import type { ClusterRecord, NamespaceRecord, PolicyRecord, RoleRecord, TokenRecord } from '@latchkey/acl'
import { AclError, type Changes, formatInstant, invariant } from '@latchkey/contract'
import { secretsSeen } from '../caller/authority.ts'
import { globalManagementMissing } from '../caller/caller.ts'
import { type Answer, type Call as CallOf, json } from '../handler.ts'
import { formatCursor, pageOf } from '../reply/paging.ts'
import {
  REPLICATED_TABLES,
  type ReplicatedRecords,
  type ReplicatedTable,
  type StoreChanges,
} from '../store/replicated.ts'

type ChangesCall = CallOf<'operations.changes'>
type Listed = Answer<'operations.changes'>

/** Bounds of a page of a copy. Policies have up to half a megabyte. */
const PAGE_RECORDS_MAX = 1_000
const PAGE_LENGTH_MAX = 1_048_576
/** Longer changes are a copy, whose pages are bounded. */
const CHANGES_LENGTH_MAX = 4_194_304

const NOTHING: ReplicatedRecords = { namespaces: [], policies: [], roles: [], tokens: [] }
const NONE_DELETED: StoreChanges['deleted'] = { namespaces: [], policies: [], roles: [], tokens: [] }

/**
 * Answers what has changed after an index, or a page of everything.
 *
 * @throws AclError `privilege_missing`: in the extended edition only global managers see every secret.
 */
export async function changesHandler(call: ChangesCall): Promise<Listed> {
  if (secretsSeen(call) !== 'all') throw globalManagementMissing(call.caller)
  const { index = 0, cluster } = call.query
  if (index === 0) return copyPage(call)
  const { store } = call.service
  const isOurs = cluster === undefined || cluster === clusterOf(call)
  const changes = isOurs ? await store.changesAfter(index) : undefined
  const shown = changes && show(call, changes.index, changes, changes.deleted)
  if (shown === undefined || JSON.stringify(shown).length > CHANGES_LENGTH_MAX) {
    return json({ ...show(call, store.commitIndex(), NOTHING), Reset: true as const })
  }
  return json(shown, { topic: 'changes' })
}

/**
 * A page of everything. Pages are of different moments: a reader that applies what has changed after the index of the first
 * page to all of them has the state of one moment.
 */
async function copyPage(call: ChangesCall): Promise<Listed> {
  const { store } = call.service
  // Read before the records, so that these are no older.
  const index = store.commitIndex()
  const directory = store.directory()
  const byName = (a: NamespaceRecord, b: NamespaceRecord) => (a.Name < b.Name ? -1 : 1)
  const sorted = {
    namespaces: [...directory.namespaces()].sort(byName),
    policies: [...directory.policies()],
    roles: [...directory.roles()],
  }
  const page = { namespaces: [], policies: [], roles: [], tokens: [] } as {
    [T in ReplicatedTable]: ReplicatedRecords[T][number][]
  }
  const start = parseCursor(call.query.cursor)
  let room = PAGE_RECORDS_MAX
  let length = 0
  for (const table of REPLICATED_TABLES.slice(REPLICATED_TABLES.indexOf(start.table))) {
    const after = table === start.table ? start.after : ''
    if (table === 'tokens') {
      const read = await readTokens(call, after, room)
      page.tokens.push(...read.tokens)
      return copied(call, index, page, read.nextCursor)
    }
    for (const record of sorted[table]) {
      const key = 'ID' in record ? record.ID : record.Name
      if (key <= after) continue
      ;(page[table] as (typeof record)[]).push(record)
      room -= 1
      length += JSON.stringify(record).length
      if (room === 0 || length > PAGE_LENGTH_MAX) return copied(call, index, page, `${table}.${key}`)
    }
  }
  return copied(call, index, page, undefined)
}

function copied(
  call: ChangesCall,
  index: number,
  page: ReplicatedRecords,
  nextCursor: string | undefined,
): Listed {
  return { ...json<Changes>(show(call, index, page)), nextCursor }
}

async function readTokens(
  call: ChangesCall,
  cursor: string,
  limit: number,
): Promise<{ readonly tokens: readonly TokenRecord[]; readonly nextCursor: string | undefined }> {
  const { store } = call.service
  const page = cursor === '' ? undefined : pageOf({ cursor })
  const filter = { local: false, limit, ...(page?.after ? { after: page.after } : {}) }
  const found: TokenRecord[] = []
  for await (const tokens of store.tokens(filter)) found.push(...tokens)
  const last = found.length === limit ? found.at(-1) : undefined
  const nextCursor = last && `tokens.${formatCursor(store.placeOf(last))}`
  return { tokens: found.filter(({ AccessorID }) => AccessorID !== ''), nextCursor }
}

/** @throws AclError `query_invalid` for a text that is no cursor of this endpoint. */
function parseCursor(cursor = 'namespaces.'): { readonly table: ReplicatedTable; readonly after: string } {
  const [name = '', after] = cursor.split(/\.(.*)/s)
  const table = REPLICATED_TABLES.find((known) => known === name)
  if (table === undefined || after === undefined) {
    throw new AclError('query_invalid', 'cursor is not one that this service gave', { field: 'cursor' })
  }
  return { table, after }
}

function clusterOf({ service }: ChangesCall): string {
  const record = service.store.directory().system('cluster')
  invariant(record, 'the start writes the id of the cluster')
  return (record.Value as ClusterRecord).ID
}

function show(
  call: ChangesCall,
  index: number,
  records: ReplicatedRecords,
  deleted: StoreChanges['deleted'] = NONE_DELETED,
): Changes {
  return {
    Cluster: clusterOf(call),
    Datacenter: call.service.datacenter,
    Index: index,
    Time: formatInstant(call.now),
    Namespaces: records.namespaces.map(showNamespace),
    Policies: records.policies.map(showPolicy),
    Roles: records.roles.map(showRole),
    Tokens: records.tokens.map(showToken),
    Deleted: {
      Namespaces: [...deleted.namespaces],
      Policies: [...deleted.policies],
      Roles: [...deleted.roles],
      Tokens: [...deleted.tokens],
    },
  }
}

/** Links and identities are immutable; the types of answers do not say so. */
function copies<T>(values: readonly T[]): T[] {
  return [...values]
}

function showNamespace(record: NamespaceRecord): Changes['Namespaces'][number] {
  const { PolicyDefaults, RoleDefaults, ...rest } = record
  return { ...rest, PolicyDefaults: copies(PolicyDefaults), RoleDefaults: copies(RoleDefaults) }
}

function showPolicy({ Datacenters, ...rest }: PolicyRecord): Changes['Policies'][number] {
  return { ...rest, ...(Datacenters === undefined ? {} : { Datacenters: copies(Datacenters) }) }
}

function showRole(record: RoleRecord): Changes['Roles'][number] {
  const { Policies, ServiceIdentities, NodeIdentities, ...rest } = record
  return {
    ...rest,
    Policies: copies(Policies),
    ServiceIdentities: copies(ServiceIdentities),
    NodeIdentities: copies(NodeIdentities),
  }
}

function showToken(record: TokenRecord): Changes['Tokens'][number] {
  const { Policies, Roles, ServiceIdentities, NodeIdentities, ExpirationTime, ...others } = record
  const { Local: _, AuthMethodGeneration: __, ...rest } = others
  return {
    ...rest,
    Policies: copies(Policies),
    Roles: copies(Roles),
    ServiceIdentities: copies(ServiceIdentities),
    NodeIdentities: copies(NodeIdentities),
    ...(ExpirationTime === undefined ? {} : { ExpirationTime }),
  }
}
