/** Applies the rules of the catalog to a commit. Reads what the rules need in the commit's own transaction. */
import { nameKey } from '@latchkey/acl'
import {
  Catalog,
  type CatalogChange,
  type CatalogRecords,
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
import type { Prisma } from '../../../generated/prisma/client.ts'
import {
  decodeCheck,
  decodeCoordinate,
  decodeNode,
  decodeService,
  decodeServiceIndex,
  decodeSession,
  serviceKeyOf,
} from '../../catalog-rows.ts'
import { storeText } from '../../read/stored-text.ts'
import { partsOf, primaryKeyOf } from '../held-tables.ts'
import type { Transaction } from '../statements.ts'
import type { HeldChange } from '../writes.ts'

/** Effects of the changes of a commit. */
interface Judged {
  /** The indexes of services that it moves. */
  readonly moved: readonly HeldChange[]
  /** The sessions that it ends. */
  readonly ended: readonly SessionRecord[]
}

/**
 * @param changes of one commit, each record once.
 * @returns `changed` if the commit would violate the rules of the catalog.
 */
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

/** The part of the stored catalog that commits depend on. @param changes of one commit, or of several in a row. */
export async function loadCatalog(
  tx: Transaction,
  changes: readonly (HeldChange & CatalogChange)[],
): Promise<Catalog> {
  const catalog = await new StoredCatalog(tx, changes).load()
  await loadServiceNames(tx, changes, catalog)
  return catalog
}

class StoredCatalog {
  private readonly tx: Transaction
  private readonly changes: readonly (HeldChange & CatalogChange)[]
  private readonly catalog = new Catalog()

  constructor(tx: Transaction, changes: readonly (HeldChange & CatalogChange)[]) {
    this.tx = tx
    this.changes = changes
  }

  async load(): Promise<Catalog> {
    const { tx, changes } = this
    const ended = unique(
      changes.flatMap(({ table, op, record }) =>
        table === 'nodes' && op === 'delete' ? storeText(nodeKey(record.Node)) : [],
      ),
    )
    const nodes = changes.flatMap((change) =>
      change.table === 'serviceIndexes' ? [] : storeText(nodeKey(change.record.Node)),
    )
    for (const part of partsOf(unique(nodes))) {
      this.add(
        'nodes',
        (await tx.catalogNode.findMany({ where: { key: { in: [...part] } } })).map(decodeNode),
      )
    }
    await this.loadChecks(ended)
    await this.loadSessions(ended)
    await this.loadServices(ended)
    await this.loadCoordinates(ended)
    return this.catalog
  }

  /** Coordinates that change, and those of deleted nodes. */
  private async loadCoordinates(endedNodes: readonly string[]): Promise<void> {
    const find = async (where: Prisma.CatalogCoordinateWhereInput) =>
      this.add('coordinates', (await this.tx.catalogCoordinate.findMany({ where })).map(decodeCoordinate))
    for (const part of partsOf(unique(this.keysOf('coordinates')))) await find({ key: { in: [...part] } })
    for (const part of partsOf(endedNodes)) await find({ nodeKey: { in: [...part] } })
  }

  /** Checks that change, checks of new sessions, checks of deleted services, and checks on deleted nodes. */
  private async loadChecks(endedNodes: readonly string[]): Promise<void> {
    const { tx, changes } = this
    const endedServices = changes.flatMap((change) =>
      change.table === 'services' && change.op === 'delete' ? primaryKeyOf(change) : [],
    )
    const find = async (where: Prisma.CatalogCheckWhereInput) =>
      this.add('checks', (await tx.catalogCheck.findMany({ where })).map(decodeCheck))
    for (const part of partsOf(unique([...this.keysOf('checks'), ...this.checksOfSessions()])))
      await find({ key: { in: [...part] } })
    for (const part of partsOf(unique(endedServices))) await find({ serviceKey: { in: [...part] } })
    for (const part of partsOf(endedNodes)) await find({ nodeKey: { in: [...part] } })
  }

  private checksOfSessions(): readonly string[] {
    return this.changes.flatMap((change) =>
      change.table === 'sessions' && change.op === 'put'
        ? sessionCheckKeys(change.record).map(storeText)
        : [],
    )
  }

  /**
   * Sessions that are deleted, sessions on deleted nodes, and sessions that depend on checks that are deleted or become
   * critical.
   */
  private async loadSessions(endedNodes: readonly string[]): Promise<void> {
    const { tx, changes } = this
    const failing = changes.flatMap((change) =>
      change.table === 'checks' && (change.op === 'delete' || change.record.Status === CRITICAL)
        ? primaryKeyOf(change)
        : [],
    )
    const find = async (where: Prisma.SessionWhereInput) =>
      this.add('sessions', (await tx.session.findMany({ where })).map(decodeSession))
    for (const part of partsOf(unique(this.keysOf('sessions')))) await find({ id: { in: [...part] } })
    for (const part of partsOf(endedNodes)) await find({ nodeKey: { in: [...part] } })
    for (const part of partsOf(unique(failing))) await find({ checkKeys: { hasSome: [...part] } })
  }

  /**
   * Services that change, services of changed checks, and all services on nodes that change or have a changed node
   * check.
   */
  private async loadServices(endedNodes: readonly string[]): Promise<void> {
    const { tx, changes, catalog } = this
    const keys = [...this.keysOf('services')]
    const nodes = [...endedNodes]
    for (const change of changes) {
      const { table, record } = change
      if (table === 'nodes') nodes.push(storeText(nodeKey(record.Node)))
      if (table !== 'checks') continue
      const stored = catalog.check(record.Node, record.CheckID, record.Namespace)
      for (const check of stored ? [record, stored] : [record]) {
        if (check.ServiceID === '') nodes.push(storeText(nodeKey(check.Node)))
        else keys.push(serviceKeyOf(check))
      }
    }
    const find = async (where: Prisma.CatalogServiceWhereInput) =>
      this.add('services', (await tx.catalogService.findMany({ where })).map(decodeService))
    for (const part of partsOf(unique(keys))) await find({ key: { in: [...part] } })
    for (const part of partsOf(unique(nodes))) await find({ nodeKey: { in: [...part] } })
  }

  private keysOf(table: CatalogTable): readonly string[] {
    return this.changes.flatMap((change) => (change.table === table ? primaryKeyOf(change) : []))
  }

  private add<T extends CatalogTable>(table: T, records: readonly CatalogRecords[T][]): void {
    for (const record of records) this.catalog.put(table, record)
  }
}

/**
 * The indexes of the services that changes may affect, each with one instance that does not change, if there is one.
 */
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
    const rows = await tx.catalogServiceIndex.findMany({ where: { name: { in: [...part] } } })
    for (const row of rows) before.put('serviceIndexes', decodeServiceIndex(row))
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
    const where = { key: { in: others.map(({ key }) => key) } }
    for (const row of await tx.catalogService.findMany({ where })) before.put('services', decodeService(row))
  }
}

function unique(keys: readonly string[]): readonly string[] {
  return [...new Set(keys)]
}
