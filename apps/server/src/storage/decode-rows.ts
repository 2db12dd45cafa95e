import type {
  KvRecord,
  NamespaceRecord,
  PolicyRecord,
  RoleRecord,
  StoredLink,
  SystemKey,
  SystemRecord,
  TokenRecord,
} from '@latchkey/acl'
import type { SecretBox } from '../secrets/secret-box.ts'
import { readBytes, readText } from './stored-text.ts'

/**
 * Rows as PostgreSQL writes them in JSON (`row_to_json`), and the records they are. Reading whole results as one JSON
 * text costs a fifth of what Prisma takes to build typed rows, and keeps the columns of type `json` as they were given.
 */
export interface TokenRow {
  readonly secret_hash: string
  readonly secret_cipher: string
  readonly secret_key_id: string
  readonly accessor_id: string
  readonly namespace: string
  readonly description: string
  readonly policies: readonly string[]
  readonly roles: readonly string[]
  readonly service_identities: TokenRecord['ServiceIdentities']
  readonly node_identities: TokenRecord['NodeIdentities']
  readonly rules: string
  readonly type: TokenRecord['Type']
  readonly local: boolean
  readonly auth_method: string
  readonly expiration_time: string | null
  readonly create_time: string
  readonly hash: string
  readonly create_index: number
  readonly modify_index: number
}

export interface PolicyRow {
  readonly id: string
  readonly name: string
  readonly namespace: string
  readonly description: string
  readonly rules: string
  readonly datacenters: readonly string[] | null
  readonly hash: string
  readonly create_index: number
  readonly modify_index: number
}

export interface RoleRow {
  readonly id: string
  readonly name: string
  readonly namespace: string
  readonly description: string
  readonly policies: readonly string[]
  readonly service_identities: RoleRecord['ServiceIdentities']
  readonly node_identities: RoleRecord['NodeIdentities']
  readonly hash: string
  readonly create_index: number
  readonly modify_index: number
}

export interface NamespaceRow {
  readonly name: string
  readonly description: string
  readonly policy_defaults: readonly string[]
  readonly role_defaults: readonly string[]
  readonly create_index: number
  readonly modify_index: number
}

export interface SystemRow {
  readonly key: SystemKey
  readonly value: unknown
  readonly create_index: number
  readonly modify_index: number
}

export interface KvRow {
  readonly namespace: string
  readonly key: string
  readonly flags: number
  readonly lock_index: number
  readonly value: string
  readonly create_index: number
  readonly modify_index: number
}

/** @throws KeyRingError when the ring does not open the secret. */
export function tokenOfRow(row: TokenRow, secrets: SecretBox): TokenRecord {
  const sealed = { keyId: row.secret_key_id, bytes: readBytes(row.secret_cipher) }
  return {
    AccessorID: readText(row.accessor_id),
    SecretID: secrets.open(sealed, row.secret_hash.slice(2)),
    Description: readText(row.description),
    Policies: links(row.policies),
    Roles: links(row.roles),
    ServiceIdentities: row.service_identities,
    NodeIdentities: row.node_identities,
    Rules: readText(row.rules),
    Type: row.type,
    Local: row.local,
    AuthMethod: readText(row.auth_method),
    ExpirationTime: row.expiration_time ?? undefined,
    CreateTime: readText(row.create_time),
    Hash: readText(row.hash),
    CreateIndex: row.create_index,
    ModifyIndex: row.modify_index,
    Namespace: readText(row.namespace),
  }
}

export function policyOfRow(row: PolicyRow): PolicyRecord {
  return {
    ID: readText(row.id),
    Name: readText(row.name),
    Description: readText(row.description),
    Rules: readText(row.rules),
    Datacenters: row.datacenters ?? undefined,
    Hash: readText(row.hash),
    CreateIndex: row.create_index,
    ModifyIndex: row.modify_index,
    Namespace: readText(row.namespace),
  }
}

export function roleOfRow(row: RoleRow): RoleRecord {
  return {
    ID: readText(row.id),
    Name: readText(row.name),
    Description: readText(row.description),
    Policies: links(row.policies),
    ServiceIdentities: row.service_identities,
    NodeIdentities: row.node_identities,
    Hash: readText(row.hash),
    CreateIndex: row.create_index,
    ModifyIndex: row.modify_index,
    Namespace: readText(row.namespace),
  }
}

export function namespaceOfRow(row: NamespaceRow): NamespaceRecord {
  return {
    Name: readText(row.name),
    Description: readText(row.description),
    PolicyDefaults: links(row.policy_defaults),
    RoleDefaults: links(row.role_defaults),
    CreateIndex: row.create_index,
    ModifyIndex: row.modify_index,
  }
}

export function systemOfRow(row: SystemRow): SystemRecord {
  return { Key: row.key, Value: row.value, CreateIndex: row.create_index, ModifyIndex: row.modify_index }
}

export function kvOfRow(row: KvRow): KvRecord {
  return {
    Key: readBytes(row.key).toString('utf8'),
    Flags: row.flags,
    Value: readBytes(row.value),
    LockIndex: row.lock_index,
    CreateIndex: row.create_index,
    ModifyIndex: row.modify_index,
    Namespace: readText(row.namespace),
  }
}

function links(ids: readonly string[]): readonly StoredLink[] {
  return ids.length === 0 ? NO_LINKS : ids.map((ID) => ({ ID: readText(ID) }))
}

/** Most tokens lack one kind of link or the other. */
const NO_LINKS: readonly StoredLink[] = []
