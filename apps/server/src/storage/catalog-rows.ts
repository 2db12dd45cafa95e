/** Converts records of the catalog to and from the rows of Prisma's client. */
import { nameKey } from '@latchkey/acl'
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
import {
  type CatalogCheck as CheckRow,
  type CatalogCoordinate as CoordinateRow,
  type CatalogNode as NodeRow,
  Prisma,
  type CatalogServiceIndex as ServiceIndexRow,
  type CatalogService as ServiceRow,
  type Session as SessionRow,
} from '../generated/prisma/client.ts'
import { readText, storeText } from './read/stored-text.ts'

/** The columns of a record, without its key and indexes. */
export function encodeNode(record: NodeRecord) {
  return {
    id: storeText(record.ID),
    name: storeText(record.Node),
    address: storeText(record.Address),
    taggedAddresses: jsonOrNull(record.TaggedAddresses),
    meta: jsonOrNull(record.Meta),
  } satisfies Partial<Prisma.CatalogNodeCreateInput>
}

export function decodeNode(row: NodeRow): NodeRecord {
  return {
    ID: readText(row.id),
    Node: readText(row.name),
    Address: readText(row.address),
    TaggedAddresses: row.taggedAddresses as NodeRecord['TaggedAddresses'],
    Meta: row.meta as NodeRecord['Meta'],
    ...indexesOf(row),
  }
}

export function encodeService(record: ServiceRecord) {
  return {
    nodeKey: storeText(nodeKey(record.Node)),
    nameKey: storeText(nameKey(record.Namespace, record.Service)),
    namespace: storeText(record.Namespace),
    node: storeText(record.Node),
    id: storeText(record.ID),
    name: storeText(record.Service),
    kind: storeText(record.Kind),
    tags: record.Tags.map(storeText),
    address: storeText(record.Address),
    taggedAddresses: asJson(record.TaggedAddresses),
    meta: jsonOrNull(record.Meta),
    port: record.Port,
    socketPath: storeText(record.SocketPath),
    weights: asJson(record.Weights),
    enableTagOverride: record.EnableTagOverride,
    proxy: asJson(record.Proxy),
    connect: asJson(record.Connect),
  } satisfies Partial<Prisma.CatalogServiceCreateInput>
}

export function decodeService(row: ServiceRow): ServiceRecord {
  return {
    Node: readText(row.node),
    ID: readText(row.id),
    Service: readText(row.name),
    Kind: readText(row.kind),
    Tags: row.tags.map(readText),
    Address: readText(row.address),
    TaggedAddresses: row.taggedAddresses as unknown as ServiceRecord['TaggedAddresses'],
    Meta: row.meta as ServiceRecord['Meta'],
    Port: row.port,
    SocketPath: readText(row.socketPath),
    Weights: row.weights as unknown as ServiceRecord['Weights'],
    EnableTagOverride: row.enableTagOverride,
    Proxy: row.proxy as ServiceRecord['Proxy'],
    Connect: row.connect as ServiceRecord['Connect'],
    ...indexesOf(row),
    Namespace: readText(row.namespace),
  }
}

export function encodeCheck(record: CheckRecord) {
  return {
    nodeKey: storeText(nodeKey(record.Node)),
    serviceKey: serviceKeyOf(record),
    namespace: storeText(record.Namespace),
    node: storeText(record.Node),
    id: storeText(record.CheckID),
    name: storeText(record.Name),
    status: storeText(record.Status),
    notes: storeText(record.Notes),
    output: storeText(record.Output),
    serviceId: storeText(record.ServiceID),
    type: storeText(record.Type),
    interval: storeText(record.Interval),
    timeout: storeText(record.Timeout),
    exposedPort: record.ExposedPort,
    definition: asJson(record.Definition),
    agent: jsonOrNull(record.Agent ?? null),
  } satisfies Partial<Prisma.CatalogCheckCreateInput>
}

/** The key of the service row of a check; empty for a node check. */
export function serviceKeyOf({ Node, Namespace, ServiceID }: CheckRecord): string {
  return ServiceID === '' ? '' : storeText(serviceKey({ Node, Namespace, ID: ServiceID }))
}

export function decodeCheck(row: CheckRow): CheckRecord {
  return {
    Node: readText(row.node),
    CheckID: readText(row.id),
    Name: readText(row.name),
    Status: readText(row.status),
    Notes: readText(row.notes),
    Output: readText(row.output),
    ServiceID: readText(row.serviceId),
    Type: readText(row.type),
    Interval: readText(row.interval),
    Timeout: readText(row.timeout),
    ExposedPort: row.exposedPort,
    Definition: row.definition as CheckRecord['Definition'],
    ...(row.agent === null ? {} : { Agent: row.agent as unknown as NonNullable<CheckRecord['Agent']> }),
    ...indexesOf(row),
    Namespace: readText(row.namespace),
  }
}

export function encodeCoordinate(record: CoordinateRecord) {
  return {
    nodeKey: storeText(nodeKey(record.Node)),
    node: storeText(record.Node),
    segment: storeText(record.Segment),
    coord: asJson(record.Coord),
  } satisfies Partial<Prisma.CatalogCoordinateCreateInput>
}

export function decodeCoordinate(row: CoordinateRow): CoordinateRecord {
  return {
    Node: readText(row.node),
    Segment: readText(row.segment),
    Coord: row.coord as unknown as CoordinateRecord['Coord'],
    ...indexesOf(row),
  }
}

/** The key is the ID. The session's lifetime begins when the row is written. */
export function encodeSession(record: SessionRecord) {
  return {
    name: storeText(record.Name),
    nodeKey: storeText(nodeKey(record.Node)),
    node: storeText(record.Node),
    lockDelay: BigInt(record.LockDelay),
    lockDelayMs: lockDelayMs(record),
    behavior: record.Behavior,
    ttl: record.TTL,
    lifetimeMs: sessionLifetimeMs(record) ?? null,
    nodeChecks: record.NodeChecks.map(storeText),
    serviceChecks: jsonOrNull(record.ServiceChecks),
    checks: record.Checks.map(storeText),
    checkKeys: sessionCheckKeys(record).map(storeText),
  } satisfies Partial<Prisma.SessionCreateInput>
}

export function decodeSession(row: SessionRow): SessionRecord {
  return {
    ID: row.id,
    Name: readText(row.name),
    Node: readText(row.node),
    LockDelay: Number(row.lockDelay),
    Behavior: row.behavior as SessionRecord['Behavior'],
    TTL: row.ttl,
    NodeChecks: row.nodeChecks.map(readText),
    ServiceChecks: row.serviceChecks as SessionRecord['ServiceChecks'],
    Checks: row.checks.map(readText),
    ...indexesOf(row),
  }
}

export function decodeServiceIndex(row: ServiceIndexRow): ServiceIndexRecord {
  return { Name: readText(row.name), ...indexesOf(row) }
}

/** Records of the catalog, some or all. */
export type CatalogContent = { readonly [T in keyof CatalogRecords]: readonly CatalogRecords[T][] }

export const EMPTY_CATALOG: CatalogContent = {
  nodes: [],
  services: [],
  checks: [],
  coordinates: [],
  sessions: [],
  serviceIndexes: [],
}

/** The port guarantees that these are JSON, and limits their size. */
function asJson(value: object): Prisma.InputJsonValue {
  return value as Prisma.InputJsonValue
}

function jsonOrNull(value: object | null): Prisma.InputJsonValue | typeof Prisma.DbNull {
  return value === null ? Prisma.DbNull : asJson(value)
}

function indexesOf({
  createIndex,
  modifyIndex,
}: {
  readonly createIndex: bigint
  readonly modifyIndex: bigint
}) {
  return { CreateIndex: Number(createIndex), ModifyIndex: Number(modifyIndex) }
}
