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

/**
 * Ends of a field and of a row where rows come as one text: a third of what JSON costs PostgreSQL. No stored text holds
 * them, as its escape is always followed by a digit (see `stored-text.ts`); nor does JSON, or a number.
 */
export const FIELD_END = '\u001a,'
export const ROW_END = '\u001a;'

/** Tokens as the columns of {@link TokenRow}, in its order. A token that never expires has an empty expiration time. */
export function readTokenRows(text: string): readonly TokenRow[] {
  return text.split(ROW_END).map((row) => {
    const fields = row.split(FIELD_END)
    const next = (i: number) => fields[i] ?? ''
    return {
      secret_hash: next(0),
      secret_cipher: next(1),
      secret_key_id: next(2),
      accessor_id: next(3),
      namespace: next(4),
      description: next(5),
      policies: readList(next(6)),
      roles: readList(next(7)),
      service_identities: readList(next(8)),
      node_identities: readList(next(9)),
      rules: next(10),
      type: next(11) as TokenRow['type'],
      local: next(12) === 't',
      auth_method: next(13),
      expiration_time: next(14) || null,
      create_time: next(15),
      hash: next(16),
      create_index: Number(next(17)),
      modify_index: Number(next(18)),
    }
  })
}

function readList<T>(json: string): readonly T[] {
  return json === '[]' ? EMPTY : JSON.parse(json)
}

const EMPTY: readonly never[] = []

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
