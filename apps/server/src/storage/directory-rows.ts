/** Converts policies, roles, namespaces and system facts to and from the rows of Prisma's client. */
import type {
  NamespaceRecord,
  PolicyRecord,
  RoleRecord,
  StoredLink,
  SystemKey,
  SystemRecord,
} from '@latchkey/acl'
import {
  type Namespace as NamespaceRow,
  type Policy as PolicyRow,
  Prisma,
  type Role as RoleRow,
  type System as SystemRow,
} from '../generated/prisma/client.ts'
import { readText, storeText } from './read/stored-text.ts'

/** The columns of a record, without its id and indexes. */
export function encodePolicy(record: PolicyRecord) {
  return {
    name: storeText(record.Name),
    nameKey: nameKeyOf(record),
    namespace: storeText(record.Namespace),
    description: storeText(record.Description),
    rules: storeText(record.Rules),
    datacenters: record.Datacenters === undefined ? Prisma.DbNull : [...record.Datacenters],
    hash: storeText(record.Hash),
  } satisfies Partial<Prisma.PolicyCreateInput>
}

export function encodeRole(record: RoleRecord) {
  return {
    name: storeText(record.Name),
    nameKey: nameKeyOf(record),
    namespace: storeText(record.Namespace),
    description: storeText(record.Description),
    policies: linkIds(record.Policies),
    serviceIdentities: [...record.ServiceIdentities],
    nodeIdentities: [...record.NodeIdentities],
    hash: storeText(record.Hash),
  } satisfies Partial<Prisma.RoleCreateInput>
}

export function encodeNamespace(record: NamespaceRecord) {
  return {
    description: storeText(record.Description),
    policyDefaults: linkIds(record.PolicyDefaults),
    roleDefaults: linkIds(record.RoleDefaults),
  } satisfies Partial<Prisma.NamespaceCreateInput>
}

export function encodeSystem({ Value }: SystemRecord) {
  // The port guarantees that the value is JSON.
  return {
    value: Value === null || Value === undefined ? Prisma.JsonNull : (Value as Prisma.InputJsonValue),
  } satisfies Partial<Prisma.SystemCreateInput>
}

/** The name in the form that is unique in its namespace: in lower case. */
export function nameKeyOf({ Name }: { readonly Name: string }): string {
  return storeText(Name.toLowerCase())
}

export function decodePolicy(row: PolicyRow): PolicyRecord {
  return {
    ID: readText(row.id),
    Name: readText(row.name),
    Description: readText(row.description),
    Rules: readText(row.rules),
    Datacenters: (row.datacenters as readonly string[] | null) ?? undefined,
    Hash: readText(row.hash),
    ...indexesOf(row),
    Namespace: readText(row.namespace),
  }
}

export function decodeRole(row: RoleRow): RoleRecord {
  return {
    ID: readText(row.id),
    Name: readText(row.name),
    Description: readText(row.description),
    Policies: links(row.policies),
    ServiceIdentities: row.serviceIdentities as unknown as RoleRecord['ServiceIdentities'],
    NodeIdentities: row.nodeIdentities as unknown as RoleRecord['NodeIdentities'],
    Hash: readText(row.hash),
    ...indexesOf(row),
    Namespace: readText(row.namespace),
  }
}

export function decodeNamespace(row: NamespaceRow): NamespaceRecord {
  return {
    Name: readText(row.name),
    Description: readText(row.description),
    PolicyDefaults: links(row.policyDefaults),
    RoleDefaults: links(row.roleDefaults),
    ...indexesOf(row),
  }
}

export function decodeSystem(row: SystemRow): SystemRecord {
  return { Key: row.key as SystemKey, Value: row.value, ...indexesOf(row) }
}

function indexesOf({
  createIndex,
  modifyIndex,
}: Pick<PolicyRow, 'createIndex' | 'modifyIndex'>): Pick<PolicyRecord, 'CreateIndex' | 'ModifyIndex'> {
  return { CreateIndex: Number(createIndex), ModifyIndex: Number(modifyIndex) }
}

function linkIds(ids: readonly StoredLink[]): string[] {
  return ids.map(({ ID }) => storeText(ID))
}

function links(ids: readonly string[]): readonly StoredLink[] {
  return ids.map((ID) => ({ ID: readText(ID) }))
}
