/**
 * Random catalog commits, and a naive model of their results: records with their indexes, and the indexes of tables and
 * services. It implements the rules as documented, and recomputes everything each time.
 */
import type { SeededRandom } from '@latchkey/acl'
import type { CatalogRecords, CheckRecord, NodeRecord, ServiceRecord } from '@latchkey/catalog'
import { type Change, type Store, StoreConflict } from '@latchkey/service'
import { aCheck, aNode, aService } from '../records/catalog-builders.ts'

type Table = 'nodes' | 'services' | 'checks'
type CatalogChange = {
  readonly [T in Table]: {
    readonly table: T
    readonly op: 'put' | 'delete'
    readonly record: CatalogRecords[T]
  }
}[Table]

const NODES = ['a', 'B', 'c-1']
const NAMES = ['web', 'api', 'db']
const IDS = ['web', 'api', 'x']
const CHECKS = ['1', '2', '3']

interface Stamped<R> {
  readonly record: R
  readonly created: number
  readonly modified: number
}

/** Counts commits from 1; stores have their own indexes, which {@link CatalogSide} translates. */
export class CatalogModel {
  private readonly random: SeededRandom
  private nodes = new Map<string, Stamped<NodeRecord>>()
  private services = new Map<string, Stamped<ServiceRecord>>()
  private checks = new Map<string, Stamped<CheckRecord>>()
  private readonly tables: Record<Table, number> = { nodes: 0, services: 0, checks: 0 }
  private readonly numbers = new Map<string, number>()
  private extinction = 0
  private commits = 0

  constructor(random: SeededRandom) {
    this.random = random
  }

  /** The changes of one commit, at most one for each record. Some violate the catalog's rules. */
  next(): readonly Change[] {
    const { random } = this
    const changes = new Map<string, CatalogChange>()
    const operations = 1 + random.below(3)
    for (let i = 0; i < operations; i += 1) {
      for (const change of this.operation()) changes.set(`${change.table} ${idOf(change)}`, change)
    }
    return [...changes.values()].map((change) => ({ ...change, expect: undefined }))
  }

  private operation(): readonly CatalogChange[] {
    const { random } = this
    const Node = random.pick(NODES)
    const ID = random.pick(IDS)
    const CheckID = random.pick(CHECKS)
    const ServiceID = random.chance(0.5) ? '' : ID
    const service = aService({ Node, ID, Service: random.pick(NAMES), Port: random.below(3) })
    const check = aCheck({ Node, CheckID, ServiceID, Status: random.pick(['passing', 'critical']) })
    return random.weighted<() => readonly CatalogChange[]>([
      [3, () => [put('nodes', aNode({ Node, Address: `10.0.0.${random.below(3)}` }))]],
      [4, () => [put('services', service)]],
      [4, () => [put('checks', check)]],
      [2, () => [remove('checks', check)]],
      [
        2,
        () => [
          remove('services', service),
          ...this.checksWhere(Node, ID).map((one) => remove('checks', one)),
        ],
      ],
      [1, () => this.everythingOn(Node)],
      // Leaves its checks behind, if it has any.
      [1, () => [remove('services', service)]],
      [1, () => [remove('nodes', aNode({ Node }))]],
    ])()
  }

  private checksWhere(node: string, serviceId?: string): readonly CheckRecord[] {
    return [...this.checks.values()].flatMap(({ record }) =>
      record.Node === node && (serviceId === undefined || record.ServiceID === serviceId) ? record : [],
    )
  }

  private everythingOn(node: string): readonly CatalogChange[] {
    const services = [...this.services.values()].flatMap(({ record }) => (record.Node === node ? record : []))
    return [
      remove('nodes', aNode({ Node: node })),
      ...services.map((record) => remove('services', record)),
      ...this.checksWhere(node).map((record) => remove('checks', record)),
    ]
  }

  /** @returns whether the commit succeeds; otherwise it changes nothing. */
  commit(changes: readonly Change[]): boolean {
    const before = { nodes: this.nodes, services: this.services, checks: this.checks }
    const index = this.commits + 1
    const made = changes as readonly CatalogChange[]
    this.nodes = applied(this.nodes, made, 'nodes', index)
    this.services = applied(this.services, made, 'services', index)
    this.checks = applied(this.checks, made, 'checks', index)
    if (!this.isWhole()) {
      Object.assign(this, before)
      return false
    }
    this.commits = index
    for (const { table } of made) this.tables[table] = index
    for (const name of NAMES) this.moveNumber(name, made, before, index)
    return true
  }

  private isWhole(): boolean {
    const hasNode = ({ record }: Stamped<ServiceRecord | CheckRecord>) => this.nodes.has(record.Node)
    const hasService = ({ record }: Stamped<CheckRecord>) =>
      record.ServiceID === '' || this.services.has(`${record.Node}/${record.ServiceID}`)
    const checks = [...this.checks.values()]
    return [...this.services.values(), ...checks].every(hasNode) && checks.every(hasService)
  }

  private moveNumber(
    name: string,
    changes: readonly CatalogChange[],
    before: Pick<Instances, 'services' | 'checks'>,
    index: number,
  ): void {
    const instances = [before.services, this.services].flatMap((services) =>
      [...services.values()].flatMap(({ record }) => (record.Service === name ? record : [])),
    )
    const isMoved = changes.some((change) => {
      if (change.table === 'nodes') return instances.some(({ Node }) => Node === change.record.Node)
      if (change.table === 'services') {
        return instances.some(({ Node, ID }) => Node === change.record.Node && ID === change.record.ID)
      }
      const { Node, CheckID } = change.record
      const old = before.checks.get(`${Node}/${CheckID}`)?.record
      const checks = [...(old ? [old] : []), ...(change.op === 'put' ? [change.record] : [])]
      return checks.some(({ ServiceID }) =>
        instances.some((one) => one.Node === Node && (ServiceID === '' || one.ID === ServiceID)),
      )
    })
    if (!isMoved) return
    const isLeft = [...this.services.values()].some(({ record }) => record.Service === name)
    if (isLeft) this.numbers.set(name, index)
    else if (this.numbers.delete(name)) this.extinction = index
  }

  /** Everything, in the form of {@link CatalogSide.show}. */
  show(): object {
    const shown = <R>(records: ReadonlyMap<string, Stamped<R>>) =>
      [...records]
        .sort(([a], [b]) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
        .map(([, { record, created, modified }]) => ({
          ...record,
          CreateIndex: created,
          ModifyIndex: modified,
        }))
    return {
      nodes: shown(this.nodes),
      services: shown(this.services),
      checks: shown(this.checks),
      tables: this.tables,
      numbers: NAMES.map((name) => this.numbers.get(name) ?? 0),
      extinction: this.extinction,
    }
  }
}

type Instances = {
  readonly services: ReadonlyMap<string, Stamped<ServiceRecord>>
  readonly checks: ReadonlyMap<string, Stamped<CheckRecord>>
}

/** A store beside the model. It must begin without nodes, services and checks. */
export class CatalogSide {
  readonly store: Store
  private readonly indexes: Map<number, number>

  /** @param other a side whose store shows the commits of the same database. */
  constructor(store: Store, other?: CatalogSide) {
    this.store = store
    this.indexes = other?.indexes ?? new Map([[0, 0]])
  }

  async commit(changes: readonly Change[]): Promise<boolean> {
    try {
      const index = await this.store.commit(changes)
      this.indexes.set(index, this.indexes.size)
      return true
    } catch (error) {
      if (!(error instanceof StoreConflict)) throw error
      return false
    }
  }

  show(): object {
    const catalog = this.store.catalog()
    const commit = (index: number | undefined) => this.indexes.get(index ?? 0) ?? `unknown ${index}`
    const shown = <R extends { readonly CreateIndex: number; readonly ModifyIndex: number }>(
      records: readonly R[],
    ) =>
      records.map((record) => ({
        ...record,
        CreateIndex: commit(record.CreateIndex),
        ModifyIndex: commit(record.ModifyIndex),
      }))
    return {
      nodes: shown(catalog.nodes()),
      services: shown(catalog.services()),
      checks: shown(catalog.checks()),
      tables: {
        nodes: commit(this.store.tableIndex('nodes')),
        services: commit(this.store.tableIndex('services')),
        checks: commit(this.store.tableIndex('checks')),
      },
      numbers: NAMES.map((name) => commit(catalog.serviceIndex(name))),
      extinction: commit(catalog.extinctionIndex()),
    }
  }
}

function put<T extends Table>(table: T, record: CatalogRecords[T]): CatalogChange {
  return { table, op: 'put', record } as CatalogChange
}

function remove<T extends Table>(table: T, record: CatalogRecords[T]): CatalogChange {
  return { table, op: 'delete', record } as CatalogChange
}

function idOf({ table, record }: CatalogChange): string {
  if (table === 'nodes') return record.Node
  return table === 'services' ? `${record.Node}/${record.ID}` : `${record.Node}/${record.CheckID}`
}

function applied<R>(
  records: ReadonlyMap<string, Stamped<R>>,
  changes: readonly CatalogChange[],
  table: Table,
  index: number,
): Map<string, Stamped<R>> {
  const after = new Map(records)
  for (const change of changes) {
    if (change.table !== table) continue
    const id = idOf(change)
    // The table identifies the record type.
    const record = change.record as unknown as R
    if (change.op === 'delete') after.delete(id)
    else after.set(id, { record, created: records.get(id)?.created ?? index, modified: index })
  }
  return after
}
