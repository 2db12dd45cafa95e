/** Applies the rules of the catalog to a commit. Reads what the rules need in the commit's own transaction. */
import { nameKey } from '@latchkey/acl'
import {
  Catalog,
  type CatalogChange,
  type CatalogTable,
  CONNECT_LOSS,
  CRITICAL,
  EXTINCTION,
  endedSessions,
  keepsCatalogWhole,
  nodeKey,
  SERVICE_NAMES,
  type SessionRecord,
  serviceIndexChanges,
  serviceKey,
  sessionCheckKeys,
} from '@latchkey/catalog'
import { isOfCatalog } from '@latchkey/service'
import { Prisma } from '../../../generated/prisma/client.ts'
import {
  hasKeys,
  partsOf,
  primaryKeyOf,
  readHeld,
  serviceKeyOf,
  type Transaction,
} from '../../held-tables.ts'
import { storeText } from '../../read/stored-text.ts'
import { type HeldChange, STATEMENT_ROWS_MAX } from '../writes.ts'

interface Judged {
  readonly moved: readonly HeldChange[]
  readonly ended: readonly SessionRecord[]
}

/** @returns `changed` if the commit would violate the rules of the catalog. */
export async function judgeCatalog(
  tx: Transaction,
  changes: readonly HeldChange[],
): Promise<Judged | 'changed'> {
  const ofCatalog = changes.filter(isOfCatalog)
  if (ofCatalog.length === 0) return { moved: [], ended: [] }
  const before = await loadCatalog(tx, ofCatalog)
  if (!keepsCatalogWhole(ofCatalog, before)) return 'changed'
  const moved = serviceIndexChanges(ofCatalog, before).map((change) => ({ ...change, expect: undefined }))
  return { moved, ended: endedSessions(ofCatalog, before) }
}

export async function loadCatalog(
  tx: Transaction,
  changes: readonly (HeldChange & CatalogChange)[],
): Promise<Catalog> {
  const catalog = new Catalog()
  const load = async (
    table: CatalogTable,
    keys: readonly string[],
    where: (part: readonly string[]) => object = (part) => hasKeys(table, part),
  ) => {
    for (const part of partsOf([...new Set(keys)])) {
      for (const record of await readHeld(tx, table, where(part))) catalog.put(table, record)
    }
  }
  const onNodes = (part: readonly string[]) => ({ nodeKey: { in: part } })
  const keysOf = (table: CatalogTable, isMeant: (change: CatalogChange) => boolean = () => true) =>
    changes.flatMap((change) => (change.table === table && isMeant(change) ? primaryKeyOf(change) : []))
  const isDelete = ({ op }: CatalogChange) => op === 'delete'

  const endedNodes = keysOf('nodes', isDelete)
  const nodes = changes.flatMap(({ table, record }) =>
    table === 'serviceIndexes' ? [] : storeText(nodeKey(record.Node)),
  )
  await load('nodes', nodes)

  const ofSessions = changes.flatMap(({ table, op, record }) =>
    table === 'sessions' && op === 'put' ? sessionCheckKeys(record).map(storeText) : [],
  )
  await load('checks', [...keysOf('checks'), ...ofSessions])
  await load('checks', keysOf('services', isDelete), (part) => ({ serviceKey: { in: part } }))
  await load('checks', endedNodes, onNodes)

  // Sessions also depend on checks that are deleted or become critical.
  const failing = keysOf(
    'checks',
    (change) => isDelete(change) || (change.table === 'checks' && change.record.Status === CRITICAL),
  )
  await load('sessions', keysOf('sessions'))
  await load('sessions', endedNodes, onNodes)
  await load('sessions', failing, (part) => ({ checkKeys: { hasSome: part } }))

  // Services that change, services of changed checks, and all services on nodes that change or have a changed node check.
  const services = [...keysOf('services')]
  const wholeNodes = [...keysOf('nodes')]
  for (const { table, record } of changes) {
    if (table !== 'checks') continue
    const stored = catalog.check(record.Node, record.CheckID, record.Namespace)
    for (const check of stored ? [record, stored] : [record]) {
      if (check.ServiceID === '') wholeNodes.push(storeText(nodeKey(check.Node)))
      else services.push(serviceKeyOf(check))
    }
  }
  await load('services', services)
  await load('services', wholeNodes, onNodes)

  await load('coordinates', keysOf('coordinates'))
  await load('coordinates', endedNodes, onNodes)
  await loadServiceNames(tx, changes, catalog)
  return catalog
}

/** The indexes of services that may be affected, each with one instance that does not change, if any. */
async function loadServiceNames(
  tx: Transaction,
  changes: readonly (HeldChange & CatalogChange)[],
  before: Catalog,
): Promise<void> {
  const services = changes.flatMap((change) => (change.table === 'services' ? change.record : []))
  const names = new Map(
    [...before.services(), ...services].map((one) => [nameKey(one.Namespace, one.Service), one]),
  )
  if (names.size === 0) return
  for (const part of partsOf([
    EXTINCTION,
    SERVICE_NAMES,
    CONNECT_LOSS,
    ...[...names.keys()].map(storeText),
  ])) {
    const indexes = await readHeld(tx, 'serviceIndexes', hasKeys('serviceIndexes', part))
    for (const record of indexes) before.put('serviceIndexes', record)
  }
  const changed = new Set(services.map(serviceKey))
  const unknown = [...names].flatMap(([name, { Namespace, Service }]) =>
    before.instances(Service, Namespace).some((service) => !changed.has(serviceKey(service)))
      ? []
      : storeText(name),
  )
  for (const part of partsOf(unknown)) {
    const others = await tx.$queryRaw<{ key: string }[]>`SELECT other.key
      FROM unnest(${part}::text[]) AS asked (name), LATERAL (SELECT key FROM catalog_service
        WHERE name_key = asked.name AND key <> ALL (${[...changed].map(storeText)}::text[]) LIMIT 1) AS other`
    const keys = others.map(({ key }) => key)
    for (const record of await readHeld(tx, 'services', hasKeys('services', keys)))
      before.put('services', record)
  }
}

export function endsSession(change: HeldChange): boolean {
  return change.table === 'sessions' && change.op === 'delete'
}

/** Whether a change may end sessions, which may hold any number of keys. */
export function mayEndSessions(change: HeldChange): boolean {
  const { table, op } = change
  if (table === 'checks') return op === 'delete' || change.record.Status === CRITICAL
  return op === 'delete' && (table === 'sessions' || table === 'nodes')
}

/** Changes for the sessions that end in addition to those that a commit deletes. */
export function derivedEnds(
  ended: readonly SessionRecord[],
  changes: readonly HeldChange[],
): readonly HeldChange[] {
  const deleted = new Set(
    changes.flatMap((change) =>
      change.table === 'sessions' && change.op === 'delete' ? change.record.ID : [],
    ),
  )
  return ended.flatMap((record) =>
    deleted.has(record.ID) ? [] : { table: 'sessions', op: 'delete', record, expect: undefined },
  )
}

/** Whether sessions to be ended as expired have expired. Locks them: a renewal waits, and finds them gone. */
export async function areExpired(tx: Transaction, changes: readonly HeldChange[]): Promise<boolean> {
  const ids = changes.flatMap((change) => ('ifExpired' in change ? change.record.ID : []))
  if (ids.length === 0) return true
  const expired = await tx.$queryRaw<{ id: string }[]>`SELECT id FROM session
    WHERE id = ANY (${ids}) AND ${IS_EXPIRED} ORDER BY id FOR UPDATE`
  return expired.length === ids.length
}

/** For a row of `session`, by the database's clock. */
export const IS_EXPIRED = Prisma.sql`renewed_at + lifetime_ms * interval '1 millisecond' <= clock_timestamp()`

/**
 * Releases or deletes the keys of sessions, starts their lock delays, and removes them, in batches of keys.
 * @param options.ordinal of the first change of a key in the log. @returns how many keys they held.
 */
export async function endSessions(
  tx: Transaction,
  ended: readonly SessionRecord[],
  { index, ordinal }: { readonly index: bigint; readonly ordinal: number },
): Promise<number> {
  if (ended.length === 0) return 0
  const ids = ended.map(({ ID }) => ID)
  let freed = 0
  for (let count = STATEMENT_ROWS_MAX; count === STATEMENT_ROWS_MAX; freed += count) {
    const [row] = await tx.$queryRaw<{ count: number }[]>`SELECT latchkey_end_sessions(
      ${ids}, ${index}::bigint, ${ordinal + freed}::integer, ${STATEMENT_ROWS_MAX}::integer) AS count`
    count = row?.count ?? 0
  }
  return freed
}
