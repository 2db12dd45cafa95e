import type { Change, KvRecord, PolicyRecord, RoleRecord, StoredLink, TokenRecord } from '@latchkey/acl'
import { parseInstant } from '@latchkey/contract'
import type { SecretBox } from '../secrets/secret-box.ts'
import { storeBytes, storeText } from './stored-text.ts'

/**
 * A change in the form that `latchkey_commit` takes: `{ table, op, expect, row, … }`. `row` has the columns of the
 * table by name; what must not go through `jsonb` (it reorders keys) stands beside it as JSON text.
 */
export interface EncodedChange {
  readonly change: Readonly<Record<string, unknown>>
  /** Of a token: the lookup hash of its secret in hex. */
  readonly secretHash: string | undefined
}

/** Writes a change for the database. Here, and only here, a secret becomes a keyed hash and a ciphertext. */
export function encodeChange(change: Change, secrets: SecretBox): EncodedChange {
  if (change.table !== 'tokens') return { change: encodeOther(change), secretHash: undefined }
  const { table, op, record } = change
  const expect = change.expect ?? null
  const hash = secrets.lookupHash(record.SecretID)
  const encoded =
    op === 'put' ? encodeToken(record, hash, expect === 0, secrets) : { row: tokenKeys(record, hash) }
  return { change: { table, op, expect, ...encoded }, secretHash: hash.toString('hex') }
}

function encodeOther(change: Exclude<Change, { table: 'tokens' }>): Readonly<Record<string, unknown>> {
  if (change.op === 'delete-tree') {
    const { table, op, namespace, prefix } = change
    return { table, op, namespace: storeText(namespace), prefix: storeBytes(Buffer.from(prefix)) }
  }
  const { table, op } = change
  const expect = change.expect ?? null
  switch (table) {
    case 'policies':
      return op === 'put'
        ? { table, op, expect, ...encodePolicy(change.record) }
        : { table, op, expect, row: { id: storeText(change.record.ID) } }
    case 'roles':
      return op === 'put'
        ? { table, op, expect, ...encodeRole(change.record) }
        : { table, op, expect, row: { id: storeText(change.record.ID) } }
    case 'kv':
      return { table, op, expect, row: encodeKv(change.record, op) }
    case 'namespaces': {
      const { Name, Description, PolicyDefaults, RoleDefaults, CreateIndex } = change.record
      const row = {
        name: storeText(Name),
        description: storeText(Description),
        policy_defaults: linkIds(PolicyDefaults),
        role_defaults: linkIds(RoleDefaults),
        create_index: CreateIndex,
      }
      return { table, op, expect, row }
    }
    case 'system': {
      const { Key, Value, CreateIndex } = change.record
      return {
        table,
        op,
        expect,
        row: { key: Key, create_index: CreateIndex },
        value: jsonText(Value ?? null),
      }
    }
  }
}

function tokenKeys(record: TokenRecord, hash: Buffer): Record<string, unknown> {
  return {
    secret_hash: storeBytes(hash),
    accessor_key: record.AccessorID === '' ? null : storeText(record.AccessorID.toLowerCase()),
  }
}

/**
 * An id must be new among accessors and secrets alike (decisions: tokens), so a new token brings the hash of its
 * accessor to be looked for among the secrets, and of its secret to be looked for among the accessors.
 */
function encodeToken(
  record: TokenRecord,
  hash: Buffer,
  isNew: boolean,
  secrets: SecretBox,
): Record<string, unknown> {
  const accessorHash = record.AccessorID === '' ? undefined : secrets.lookupHash(record.AccessorID)
  const sealed = secrets.seal(record.SecretID, hash.toString('hex'))
  const expiresAt = record.ExpirationTime === undefined ? undefined : parseInstant(record.ExpirationTime)
  return {
    accessor_as_secret: isNew && accessorHash ? storeBytes(accessorHash) : null,
    secret_as_accessor: isNew ? firstEightBytes(hash) : null,
    service_identities: jsonText(record.ServiceIdentities),
    node_identities: jsonText(record.NodeIdentities),
    row: {
      ...tokenKeys(record, hash),
      secret_cipher: storeBytes(sealed.bytes),
      secret_key_id: sealed.keyId,
      accessor_id: storeText(record.AccessorID),
      accessor_hash: accessorHash ? firstEightBytes(accessorHash) : null,
      namespace: storeText(record.Namespace),
      description: storeText(record.Description),
      policies: linkIds(record.Policies),
      roles: linkIds(record.Roles),
      service_names: record.ServiceIdentities.map(({ ServiceName }) => storeText(ServiceName)),
      rules: storeText(record.Rules),
      type: record.Type,
      local: record.Local,
      auth_method: storeText(record.AuthMethod),
      expiration_time: record.ExpirationTime,
      expires_at: expiresAt === undefined ? null : new Date(expiresAt).toISOString(),
      create_time: storeText(record.CreateTime),
      hash: storeText(record.Hash),
      create_index: record.CreateIndex,
    },
  }
}

function encodePolicy(record: PolicyRecord): Record<string, unknown> {
  return {
    datacenters: record.Datacenters === undefined ? null : jsonText(record.Datacenters),
    row: {
      id: storeText(record.ID),
      name: storeText(record.Name),
      name_key: storeText(record.Name.toLowerCase()),
      namespace: storeText(record.Namespace),
      description: storeText(record.Description),
      rules: storeText(record.Rules),
      hash: storeText(record.Hash),
      create_index: record.CreateIndex,
    },
  }
}

function encodeRole(record: RoleRecord): Record<string, unknown> {
  return {
    service_identities: jsonText(record.ServiceIdentities),
    node_identities: jsonText(record.NodeIdentities),
    row: {
      id: storeText(record.ID),
      name: storeText(record.Name),
      name_key: storeText(record.Name.toLowerCase()),
      namespace: storeText(record.Namespace),
      description: storeText(record.Description),
      policies: linkIds(record.Policies),
      hash: storeText(record.Hash),
      create_index: record.CreateIndex,
    },
  }
}

function encodeKv(record: KvRecord, op: 'put' | 'delete'): Record<string, unknown> {
  const key = { namespace: storeText(record.Namespace), key: storeBytes(Buffer.from(record.Key)) }
  if (op === 'delete') return key
  return {
    ...key,
    flags: record.Flags,
    lock_index: record.LockIndex,
    value: storeBytes(record.Value),
    create_index: record.CreateIndex,
  }
}

function linkIds(links: readonly StoredLink[]): readonly string[] {
  return links.map(({ ID }) => storeText(ID))
}

/** JSON escapes what {@link storeText} would: lone surrogates and control characters. */
function jsonText(value: unknown): string {
  return JSON.stringify(value)
}

/** As a signed 64-bit number in text, which is what PostgreSQL's `bigint` reads. */
function firstEightBytes(hash: Buffer): string {
  return hash.readBigInt64BE(0).toString()
}
