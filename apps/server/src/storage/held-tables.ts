/** The tables that every process keeps in memory: their columns, and the statements for many rows at once. */
import {
  authMethodKey,
  type BindingRuleRecord,
  type IntentionDestinationRecord,
  type IntentionRecord,
  type NamespaceRecord,
  nameKey,
  type PolicyRecord,
  type RoleRecord,
} from '@latchkey/acl'
import {
  type CatalogRecords,
  type CheckRecord,
  type CoordinateRecord,
  lockDelayMs,
  type NodeRecord,
  nodeKey,
  type ServiceIndexRecord,
  type ServiceRecord,
  type SessionRecord,
  serviceKey,
  sessionCheckKeys,
  sessionLifetimeMs,
} from '@latchkey/catalog'
import { keyOf, type RecordOf, type TableName } from '@latchkey/service'
import type * as Rows from '../generated/prisma/client.ts'
import type { Prisma } from '../generated/prisma/client.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { storeText } from './read/stored-text.ts'
import { codedBy, constant, INDEXES, integer, json, links, maybe, plain, text, texts } from './row-codecs.ts'
import { decodeAuthMethod, decodeSystem, encodeAuthMethod, encodeSystem } from './sealed-rows.ts'
import type { HeldChange } from './write/writes.ts'

export type Transaction = Prisma.TransactionClient

export type HeldTable = Exclude<TableName, 'tokens' | 'kv'>

export type CatalogContent = { readonly [T in keyof CatalogRecords]: readonly CatalogRecords[T][] }

interface HeldRows<R, Row> {
  readonly model: Uncapitalize<Prisma.ModelName>
  readonly key: 'id' | 'name' | 'key'
  encode(record: R, secrets: SecretBox): Partial<Record<keyof Row, unknown>>
  decode(row: Row, secrets: SecretBox): R
}

export const POLICY_ROWS = codedBy<PolicyRecord, Rows.Policy>(
  {
    ID: text('id'),
    Name: text('name'),
    Description: text('description'),
    Rules: text('rules'),
    Datacenters: json('datacenters'),
    Hash: text('hash'),
    ...INDEXES,
    Namespace: text('namespace'),
  },
  (record) => ({ nameKey: nameKeyOf(record) }),
)

export const ROLE_ROWS = codedBy<RoleRecord, Rows.Role>(
  {
    ID: text('id'),
    Name: text('name'),
    Description: text('description'),
    Policies: links('policies'),
    ServiceIdentities: json('serviceIdentities'),
    NodeIdentities: json('nodeIdentities'),
    Hash: text('hash'),
    ...INDEXES,
    Namespace: text('namespace'),
  },
  (record) => ({ nameKey: nameKeyOf(record) }),
)

export const NAMESPACE_ROWS = codedBy<NamespaceRecord, Rows.Namespace>({
  Name: text('name'),
  Description: text('description'),
  PolicyDefaults: links('policyDefaults'),
  RoleDefaults: links('roleDefaults'),
  ...INDEXES,
})

const HELD_ROWS = {
  policies: { model: 'policy', key: 'id', ...POLICY_ROWS },
  roles: { model: 'role', key: 'id', ...ROLE_ROWS },
  namespaces: { model: 'namespace', key: 'name', ...NAMESPACE_ROWS },
  authMethods: { model: 'authMethod', key: 'key', encode: encodeAuthMethod, decode: decodeAuthMethod },
  bindingRules: {
    model: 'bindingRule',
    key: 'id',
    ...codedBy<BindingRuleRecord, Rows.BindingRule>(
      {
        ID: text('id'),
        Description: text('description'),
        AuthMethod: text('authMethod'),
        Selector: text('selector'),
        BindType: plain('bindType'),
        BindName: text('bindName'),
        ...INDEXES,
        Namespace: text('namespace'),
      },
      (record) => ({ methodKey: methodKeyOf(record) }),
    ),
  },
  intentions: {
    model: 'intention',
    key: 'key',
    ...codedBy<IntentionRecord, Rows.Intention>({
      SourceNS: text('sourceNs'),
      SourceName: text('sourceName'),
      DestinationNS: text('destinationNs'),
      DestinationName: text('destinationName'),
      SourceType: constant('consul'),
      Action: maybe('action'),
      Permissions: json('permissions'),
      Description: text('description'),
      LegacyID: maybe('legacyId'),
      LegacyMeta: json('legacyMeta'),
      LegacyCreateTime: maybe('legacyCreateTime'),
      LegacyUpdateTime: maybe('legacyUpdateTime'),
      Hash: plain('hash'),
      ...INDEXES,
    }),
  },
  intentionDestinations: {
    model: 'intentionDestination',
    key: 'key',
    ...codedBy<IntentionDestinationRecord, Rows.IntentionDestination>({
      DestinationNS: text('destinationNs'),
      DestinationName: text('destinationName'),
      Meta: json('meta'),
      ...INDEXES,
    }),
  },
  system: { model: 'system', key: 'key', encode: encodeSystem, decode: decodeSystem },
  nodes: {
    model: 'catalogNode',
    key: 'key',
    ...codedBy<NodeRecord, Rows.CatalogNode>({
      ID: text('id'),
      Node: text('name'),
      Address: text('address'),
      TaggedAddresses: json('taggedAddresses', null),
      Meta: json('meta', null),
      ...INDEXES,
    }),
  },
  services: {
    model: 'catalogService',
    key: 'key',
    ...codedBy<ServiceRecord, Rows.CatalogService>(
      {
        Node: text('node'),
        ID: text('id'),
        Service: text('name'),
        Kind: text('kind'),
        Tags: texts('tags'),
        Address: text('address'),
        TaggedAddresses: json('taggedAddresses'),
        Meta: json('meta', null),
        Port: plain('port'),
        SocketPath: text('socketPath'),
        Weights: json('weights'),
        EnableTagOverride: plain('enableTagOverride'),
        Proxy: json('proxy'),
        Connect: json('connect'),
        ...INDEXES,
        Namespace: text('namespace'),
      },
      (record) => ({
        nodeKey: storeText(nodeKey(record.Node)),
        nameKey: storeText(nameKey(record.Namespace, record.Service)),
      }),
    ),
  },
  checks: {
    model: 'catalogCheck',
    key: 'key',
    ...codedBy<CheckRecord, Rows.CatalogCheck>(
      {
        Node: text('node'),
        CheckID: text('id'),
        Name: text('name'),
        Status: text('status'),
        Notes: text('notes'),
        Output: text('output'),
        ServiceID: text('serviceId'),
        Type: text('type'),
        Interval: text('interval'),
        Timeout: text('timeout'),
        ExposedPort: plain('exposedPort'),
        Definition: json('definition'),
        Agent: json('agent', undefined, true),
        ...INDEXES,
        Namespace: text('namespace'),
      },
      (record) => ({ nodeKey: storeText(nodeKey(record.Node)), serviceKey: serviceKeyOf(record) }),
    ),
  },
  coordinates: {
    model: 'catalogCoordinate',
    key: 'key',
    ...codedBy<CoordinateRecord, Rows.CatalogCoordinate>(
      { Node: text('node'), Segment: text('segment'), Coord: json('coord'), ...INDEXES },
      (record) => ({ nodeKey: storeText(nodeKey(record.Node)) }),
    ),
  },
  // A session's lifetime begins when its row is written.
  sessions: {
    model: 'session',
    key: 'id',
    ...codedBy<SessionRecord, Rows.Session>(
      {
        ID: plain('id'),
        Name: text('name'),
        Node: text('node'),
        LockDelay: integer('lockDelay'),
        Behavior: plain('behavior'),
        TTL: plain('ttl'),
        NodeChecks: texts('nodeChecks'),
        ServiceChecks: json('serviceChecks', null),
        Checks: texts('checks'),
        ...INDEXES,
      },
      (record) => ({
        nodeKey: storeText(nodeKey(record.Node)),
        lockDelayMs: lockDelayMs(record),
        lifetimeMs: sessionLifetimeMs(record) ?? null,
        checkKeys: sessionCheckKeys(record).map(storeText),
      }),
    ),
  },
  serviceIndexes: {
    model: 'catalogServiceIndex',
    key: 'name',
    ...codedBy<ServiceIndexRecord, Rows.CatalogServiceIndex>({ Name: text('name'), ...INDEXES }),
  },
} as const satisfies { readonly [T in HeldTable]: HeldRows<RecordOf[T], never> }

/** In the order in which a commit writes them. */
export const HELD_TABLES = Object.keys(HELD_ROWS) as readonly HeldTable[]

export function nameKeyOf({ Name }: { readonly Name: string }): string {
  return storeText(Name.toLowerCase())
}

export function methodKeyOf({ Namespace, AuthMethod }: BindingRuleRecord): string {
  return storeText(authMethodKey({ Namespace, Name: AuthMethod }))
}

/** The key of the service row of a check; empty for a node check. */
export function serviceKeyOf({ Node, Namespace, ServiceID }: CheckRecord): string {
  return ServiceID === '' ? '' : storeText(serviceKey({ Node, Namespace, ID: ServiceID }))
}

/** The record's primary key, which is its key in the change log. */
export function primaryKeyOf(change: HeldChange): string {
  return storeText(keyOf(change))
}

/** Rows of one statement: a policy may have half a megabyte. */
const PART_MAX = 200
const LOG_PART_MAX = 1_000

export function partsOf<T>(items: readonly T[], partMax = PART_MAX): readonly (readonly T[])[] {
  const parts: (readonly T[])[] = []
  for (let start = 0; start < items.length; start += partMax) parts.push(items.slice(start, start + partMax))
  return parts
}

export interface StoredIndexes {
  readonly createIndex: bigint
  readonly modifyIndex: bigint
}

export interface NewRow {
  readonly table: HeldTable
  readonly key: string
  readonly wasStored: boolean
  /** Undefined: it is deleted. */
  readonly record: RecordOf[HeldTable] | undefined
  readonly createIndex: bigint
  readonly modifyIndex: bigint
}

/** What Prisma's client offers for each of the tables, whose types differ. */
interface Delegate {
  findMany(query: { readonly where: object; readonly select?: object }): Promise<readonly never[]>
  deleteMany(query: { readonly where: object }): Promise<unknown>
  createMany(query: { readonly data: readonly object[] }): Promise<unknown>
}

function delegateOf(tx: Transaction, table: HeldTable): Delegate {
  return tx[HELD_ROWS[table].model] as unknown as Delegate
}

export async function readHeld<T extends HeldTable>(
  tx: Transaction,
  table: T,
  where: object,
  secrets?: SecretBox,
): Promise<readonly RecordOf[T][]> {
  const rows = await delegateOf(tx, table).findMany({ where })
  const { decode } = HELD_ROWS[table] as unknown as HeldRows<RecordOf[T], never>
  // Records of the catalog have no secrets.
  return rows.map((row) => decode(row, secrets as SecretBox))
}

export function hasKeys(table: HeldTable, keys: readonly string[]): object {
  return { [HELD_ROWS[table].key]: { in: keys } }
}

export async function findIndexes(
  tx: Transaction,
  table: HeldTable,
  keys: readonly string[],
): Promise<ReadonlyMap<string, StoredIndexes>> {
  const column = HELD_ROWS[table].key
  const select = { [column]: true, createIndex: true, modifyIndex: true }
  const found = new Map<string, StoredIndexes>()
  for (const part of partsOf(keys)) {
    const where = hasKeys(table, part)
    const rows: readonly (StoredIndexes & Record<typeof column, string>)[] = await delegateOf(
      tx,
      table,
    ).findMany({ where, select })
    for (const row of rows) found.set(row[column], row)
  }
  return found
}

export async function removeRows(tx: Transaction, table: HeldTable, keys: readonly string[]): Promise<void> {
  for (const part of partsOf(keys)) await delegateOf(tx, table).deleteMany({ where: hasKeys(table, part) })
}

/** Deletes rows and inserts them again, so that they may swap names. */
export async function replaceRows(
  tx: Transaction,
  secrets: SecretBox,
  rows: readonly NewRow[],
): Promise<void> {
  const byTable = Map.groupBy(rows, ({ table }) => table)
  for (const table of HELD_TABLES) {
    const ofTable = byTable.get(table) ?? []
    const { key: column, encode } = HELD_ROWS[table] as unknown as HeldRows<unknown, object>
    await removeRows(
      tx,
      table,
      ofTable.flatMap(({ key, wasStored }) => (wasStored ? key : [])),
    )
    for (const part of partsOf(ofTable.filter(({ record }) => record !== undefined))) {
      const data = part.map(({ key, record, createIndex, modifyIndex }) => ({
        ...encode(record, secrets),
        [column]: key,
        createIndex,
        modifyIndex,
      }))
      await delegateOf(tx, table).createMany({ data })
    }
  }
}

/** A line of the change log. */
export interface LogRow {
  readonly index: bigint
  readonly ordinal: number
  readonly entity: HeldTable
  readonly op: 'put' | 'delete'
  readonly key: string
}

/** Appends to the change log in order, and advances the indexes of the store and of the tables to its last lines. */
export async function writeLog(tx: Transaction, log: readonly LogRow[], index: number): Promise<void> {
  for (const part of partsOf(log, LOG_PART_MAX)) await tx.change.createMany({ data: [...part] })
  const touched = Object.fromEntries(log.map((line) => [line.entity, line.index]))
  await tx.commitIndex.updateMany({ data: { ...touched, index: BigInt(index) } })
}
