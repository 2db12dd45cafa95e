/** The changes that other datacenters replicate. Decisions: changes. */
import { type Directory, hasSeenPromotion, type NamespaceRecord, type TokenRecord } from '@latchkey/acl'
import { AclError, type Changes, formatInstant, invariant } from '@latchkey/contract'
import { requireAll } from '../caller/authority.ts'
import { type Answer, type Call as CallOf, type Handler, json } from '../handler.ts'
import { makeLongText } from '../kv/kv-entry.ts'
import { isSecondary } from '../options.ts'
import { jsonBytes, jsonText } from '../reply/json-text.ts'
import { formatCursor, pageOf } from '../reply/paging.ts'
import type { ReplicatedRecords, ReplicatedTable, StoreChanges } from '../store/replicated.ts'
import {
  byTable,
  REPLICATED_CHANGES_MAX,
  REPLICATED_TABLES,
  replicatedKey,
  takeShowable,
} from '../store/replicated.ts'

type ChangesCall = CallOf<'operations.changes'>
type Listed = Answer<'operations.changes'>

const PAGE_RECORDS_MAX = 1_000
const PAGE_LENGTH_MAX = 1_048_576
const READER_NAME = /^[A-Za-z0-9._-]{1,64}$/
/** Longer changes are refused with `Reset`: the reader then copies everything, in bounded pages. */
const CHANGES_LENGTH_MAX = 4_194_304

/**
 * Answers the changes after an index, or a page of all records. Limits concurrency, because each answer is long.
 * @throws AclError `privilege_missing`: in the extended edition only global managers see every secret. `primary_superseded`
 *   for readers whose datacenter follows a promoted successor of this one.
 */
export const changesHandler: Handler<'operations.changes'> = async (call) => {
  requireAll(call)
  const { index = 0 } = call.query
  noteReader(call)
  return makeLongText(call, () => (index === 0 ? copyPage(call) : changesSince(call, index)))
}

/**
 * Notes how far a reader is: up to the index from which it continues, or up to the copy that it begins.
 * @throws AclError `query_invalid`.
 */
function noteReader({ query, service, now, directory }: ChangesCall): void {
  const { reader: name, index = 0, cluster, cursor } = query
  if (name === undefined) return
  if (!READER_NAME.test(name)) {
    throw new AclError('query_invalid', 'reader must be 1 to 64 letters, digits, ".", "_" or "-"', {
      field: 'reader',
    })
  }
  const { store } = service
  const last = store.commitIndex()
  if (index > last || (cluster !== undefined && cluster !== clusterOf(directory))) return
  const copied = cursor === undefined ? last : undefined
  store.changeReaders.note({ name, index: index === 0 ? copied : index, now })
}

async function changesSince(call: ChangesCall, index: number): Promise<Listed> {
  const { store, datacenter } = call.service
  const { cluster, staged } = call.query
  const isOurs = cluster === undefined || cluster === clusterOf(call.directory)
  if (!isOurs && hasSeenPromotion(index, store.commitIndex())) {
    const message = `${datacenter} is not the primary any more: this reader has followed the datacenter that was promoted in its place`
    throw new AclError('primary_superseded', message)
  }
  // Counted before the records are read, so that tokens that get their accessor in between are included.
  const withoutAccessor = await store.countTokens({ withoutAccessor: true, local: false })
  const parts = staged ? { recordsMax: REPLICATED_CHANGES_MAX } : undefined
  const changes = isOurs ? await store.changesAfter(index, parts) : undefined
  const text = changes && jsonText(show(call, { ...changes, withoutAccessor }))
  if (text === undefined || text.length > CHANGES_LENGTH_MAX)
    return json({ ...show(call, { ...emptyPage(), index: store.commitIndex() }), Reset: true as const })
  return { body: { kind: 'json-bytes', bytes: jsonBytes(text) }, watch: { topic: 'changes' } }
}

/**
 * A page of all records. Pages are from different moments: a reader that applies to all of them the changes after the index of
 * the first page has a consistent state.
 */
async function copyPage(call: ChangesCall): Promise<Listed> {
  const { store } = call.service
  // Read before the records, so that the records are at least as recent.
  const index = store.commitIndex()
  const directory = store.directory()
  const byName = (a: NamespaceRecord, b: NamespaceRecord) => (a.Name < b.Name ? -1 : 1)
  const sorted = {
    namespaces: [...directory.namespaces()].sort(byName),
    policies: [...directory.policies()],
    roles: [...directory.roles()],
  }
  const page = emptyPage()
  const start = parseCursor(call.query.cursor)
  const isFullWith = pageSize()
  for (const table of REPLICATED_TABLES.slice(REPLICATED_TABLES.indexOf(start.table))) {
    const after = table === start.table ? start.after : ''
    if (table === 'tokens') {
      const { tokens, nextCursor } = await readTokens(call, after, isFullWith)
      return copied(call, { ...page, index, ...takeShowable(tokens) }, nextCursor)
    }
    for (const record of sorted[table]) {
      const key = replicatedKey(record)
      if (key <= after) continue
      page[table].push(record as never)
      if (isFullWith(record)) return copied(call, { ...page, index }, `${table}.${key}`)
    }
  }
  return copied(call, { ...page, index }, undefined)
}

function emptyPage(): { [T in ReplicatedTable]: ReplicatedRecords[T][number][] } {
  return byTable(() => [])
}

type IsFullWith = (record: object) => boolean

function pageSize(): IsFullWith {
  let records = 0
  let length = 0
  return (record) => {
    records += 1
    length += JSON.stringify(record).length
    return records >= PAGE_RECORDS_MAX || length > PAGE_LENGTH_MAX
  }
}

function copied(call: ChangesCall, shown: Shown, nextCursor: string | undefined): Listed {
  const text = jsonText(show(call, shown))
  return { body: { kind: 'json-bytes', bytes: jsonBytes(text) }, nextCursor }
}

async function readTokens(
  call: ChangesCall,
  cursor: string,
  isFullWith: IsFullWith,
): Promise<{ readonly tokens: readonly TokenRecord[]; readonly nextCursor: string | undefined }> {
  const { store } = call.service
  const page = cursor === '' ? undefined : pageOf({ cursor })
  const after = page?.after ? { after: page.after } : {}
  const tokens: TokenRecord[] = []
  for await (const some of store.tokens({ local: false, withUnopened: true, ...after })) {
    for (const token of some) {
      tokens.push(token)
      if (!isFullWith(token)) continue
      return { tokens, nextCursor: `tokens.${formatCursor(store.placeOf(token))}` }
    }
  }
  return { tokens, nextCursor: undefined }
}

function parseCursor(cursor = 'namespaces.'): { readonly table: ReplicatedTable; readonly after: string } {
  const [name = '', after] = cursor.split(/\.(.*)/s)
  const table = REPLICATED_TABLES.find((known) => known === name)
  if (table === undefined || after === undefined)
    throw new AclError('query_invalid', 'cursor is not one that this service gave', { field: 'cursor' })
  return { table, after }
}

function clusterOf(directory: Directory): string {
  const record = directory.system('cluster')
  invariant(record, 'the start writes the id of the cluster')
  return record.Value.ID
}

type Shown = ReplicatedRecords &
  Pick<StoreChanges, 'index'> &
  Partial<StoreChanges> & { readonly withoutAccessor?: number }

function show(call: ChangesCall, shown: Shown): Changes {
  const { deleted = byTable((): string[] => []), more, leftOut, withoutAccessor } = shown
  const { datacenter, primaryDatacenter } = call.service
  const { index = 0, cursor } = call.query
  const after = index === 0 ? cursor : String(index)
  return {
    Cluster: clusterOf(call.directory),
    Datacenter: datacenter,
    ...(primaryDatacenter !== undefined && isSecondary(call.service) ? { Follows: primaryDatacenter } : {}),
    ...(after === undefined ? {} : { After: after }),
    Index: shown.index,
    Time: formatInstant(call.now),
    ...(more ? { More: true } : {}),
    // Records have the spelling of the contract. They are immutable, which the types of answers do not say.
    Namespaces: shown.namespaces as Changes['Namespaces'],
    Policies: shown.policies as Changes['Policies'],
    Roles: shown.roles as Changes['Roles'],
    Tokens: shown.tokens.map(showToken) as Changes['Tokens'],
    Deleted: {
      Namespaces: [...deleted.namespaces],
      Policies: [...deleted.policies],
      Roles: [...deleted.roles],
      Tokens: [...deleted.tokens],
    },
    ...(leftOut ? { LeftOut: leftOut } : {}),
    ...(withoutAccessor ? { WithoutAccessor: withoutAccessor } : {}),
  }
}

/** Each datacenter has its own indexes of auth methods, and all tokens here are global. Equal tokens have equal bytes. */
function showToken({ Local: _, AuthMethodGeneration: __, ExpirationTime, ...shown }: TokenRecord): object {
  // A new field of a record is either part of the answer, which the contract declares, or left out above.
  shown satisfies {
    readonly [Field in keyof typeof shown]: Field extends keyof Changes['Tokens'][number] ? unknown : never
  }
  return { ...shown, ...(ExpirationTime === undefined ? {} : { ExpirationTime }) }
}
