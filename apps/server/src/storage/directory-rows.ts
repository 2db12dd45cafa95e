/** Converts policies, roles, namespaces and system facts to and from the rows of Prisma's client. */
import {
  type AuthMethodRecord,
  authMethodKey,
  type BindingRuleRecord,
  type IntentionDestinationRecord,
  type IntentionRecord,
  type NamespaceRecord,
  type PolicyRecord,
  type ReplicationTokenRecord,
  type RoleRecord,
  type StoredLink,
  type SystemRecord,
  splitConfig,
} from '@latchkey/acl'
import {
  type AuthMethod as AuthMethodRow,
  type BindingRule as BindingRuleRow,
  type IntentionDestination as IntentionDestinationRow,
  type Intention as IntentionRow,
  type Namespace as NamespaceRow,
  type Policy as PolicyRow,
  Prisma,
  type Role as RoleRow,
  type System as SystemRow,
} from '../generated/prisma/client.ts'
import { KeyRingError, type Sealed } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
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

export function encodeSystem(record: SystemRecord, secrets: SecretBox) {
  const Value = record.Key === 'replication-token' ? sealToken(record, secrets) : record.Value
  return {
    // Values are JSON.
    value: Value as unknown as Prisma.InputJsonObject,
  } satisfies Partial<Prisma.SystemCreateInput>
}

/** The secret of an auth method is bound to its row, so it cannot be decrypted elsewhere. */
export function encodeAuthMethod(record: AuthMethodRecord, secrets: SecretBox) {
  const field = SECRET_FIELDS[record.Type]
  const { [field]: secret, ...set } = record.Config as Record<string, unknown>
  const config = { ...record.EmptyConfig, ...set }
  const sealed = typeof secret === 'string' ? secrets.seal(storeText(secret), secretIdOf(record)) : undefined
  return {
    namespace: storeText(record.Namespace),
    name: storeText(record.Name),
    type: record.Type,
    displayName: storeText(record.DisplayName),
    description: storeText(record.Description),
    maxTokenTtl: record.MaxTokenTTL ?? null,
    tokenLocality: record.TokenLocality,
    config: config as Prisma.InputJsonObject,
    secretCipher: sealed ? Uint8Array.from(sealed.bytes) : null,
    secretKeyId: sealed?.keyId ?? null,
    namespaceRules: record.NamespaceRules.map((rule) => ({ ...rule })),
    generation: `${record.Generation}`,
    maxLiveTokens: record.MaxLiveTokens ?? null,
    idleTtl: record.IdleTTL ?? null,
    idleSince: record.IdleSince ?? null,
  } satisfies Partial<Prisma.AuthMethodCreateInput>
}

/** The field of each type's configuration that is secret; jwt has none. */
const SECRET_FIELDS = { jwt: '', oidc: 'OIDCClientSecret', kubernetes: 'ServiceAccountJWT' } as const

/** What the secret of an auth method is bound to. */
function secretIdOf(record: Pick<AuthMethodRecord, 'Namespace' | 'Name'>): string {
  return `auth-method/${authMethodKey(record)}`
}

/** The primary key of the auth method of a rule. */
export function methodKeyOf({ Namespace, AuthMethod }: BindingRuleRecord): string {
  return storeText(authMethodKey({ Namespace, Name: AuthMethod }))
}

export function encodeBindingRule(record: BindingRuleRecord) {
  return {
    namespace: storeText(record.Namespace),
    authMethod: storeText(record.AuthMethod),
    methodKey: methodKeyOf(record),
    description: storeText(record.Description),
    selector: storeText(record.Selector),
    bindType: record.BindType as string,
    bindName: storeText(record.BindName),
  } satisfies Partial<Prisma.BindingRuleCreateInput>
}

export function encodeIntention(record: IntentionRecord) {
  return {
    ...encodeEnd(record),
    sourceNs: storeText(record.SourceNS),
    sourceName: storeText(record.SourceName),
    action: record.Action ?? null,
    permissions: [...record.Permissions],
    description: storeText(record.Description),
    legacyId: record.LegacyID ?? null,
    legacyMeta: { ...record.LegacyMeta },
    legacyCreateTime: record.LegacyCreateTime ?? null,
    legacyUpdateTime: record.LegacyUpdateTime ?? null,
    hash: record.Hash,
  } satisfies Partial<Prisma.IntentionCreateInput>
}

export function encodeDestination(record: IntentionDestinationRecord) {
  return {
    ...encodeEnd(record),
    meta: { ...record.Meta },
  } satisfies Partial<Prisma.IntentionDestinationCreateInput>
}

function encodeEnd({ DestinationNS, DestinationName }: IntentionDestinationRecord | IntentionRecord) {
  return { destinationNs: storeText(DestinationNS), destinationName: storeText(DestinationName) }
}

/** The name in lower case, the form that is unique in its namespace. */
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

export function decodeAuthMethod(row: AuthMethodRow, secrets: SecretBox): AuthMethodRecord {
  const { empty, set } = splitConfig(row.config as object)
  const record = {
    Name: readText(row.name),
    Type: row.type,
    DisplayName: readText(row.displayName),
    Description: readText(row.description),
    MaxTokenTTL: row.maxTokenTtl ?? undefined,
    TokenLocality: row.tokenLocality,
    Config: set,
    EmptyConfig: empty,
    MaxLiveTokens: row.maxLiveTokens ?? undefined,
    IdleTTL: row.idleTtl ?? undefined,
    IdleSince: row.idleSince ?? undefined,
    NamespaceRules: row.namespaceRules,
    Generation: Number(row.generation),
    ...indexesOf(row),
    Namespace: readText(row.namespace),
    // The rules wrote this record, and the columns contain nothing else.
  } as unknown as AuthMethodRecord
  const secret = openSecretOf(record, row, secrets)
  if (secret === undefined) return record
  const { set: Config } = splitConfig({ ...set, [SECRET_FIELDS[record.Type]]: secret })
  return { ...record, Config } as AuthMethodRecord
}

/** @returns undefined if there is no secret, or it cannot be decrypted: one broken row must not stop the server. */
function openSecretOf(
  record: AuthMethodRecord,
  { secretCipher, secretKeyId }: AuthMethodRow,
  secrets: SecretBox,
): string | undefined {
  if (secretCipher === null || secretKeyId === null) return undefined
  try {
    return readText(secrets.open({ keyId: secretKeyId, bytes: secretCipher }, secretIdOf(record)))
  } catch (error) {
    if (error instanceof KeyRingError) return undefined
    throw error
  }
}

export function decodeBindingRule(row: BindingRuleRow): BindingRuleRecord {
  return {
    ID: readText(row.id),
    Description: readText(row.description),
    AuthMethod: readText(row.authMethod),
    Selector: readText(row.selector),
    BindType: row.bindType as BindingRuleRecord['BindType'],
    BindName: readText(row.bindName),
    ...indexesOf(row),
    Namespace: readText(row.namespace),
  }
}

export function decodeIntention(row: IntentionRow): IntentionRecord {
  return {
    SourceNS: readText(row.sourceNs),
    SourceName: readText(row.sourceName),
    DestinationNS: readText(row.destinationNs),
    DestinationName: readText(row.destinationName),
    SourceType: 'consul',
    Action: (row.action ?? undefined) as IntentionRecord['Action'],
    Permissions: row.permissions as unknown as IntentionRecord['Permissions'],
    Description: readText(row.description),
    LegacyID: row.legacyId ?? undefined,
    LegacyMeta: row.legacyMeta as IntentionRecord['LegacyMeta'],
    LegacyCreateTime: row.legacyCreateTime ?? undefined,
    LegacyUpdateTime: row.legacyUpdateTime ?? undefined,
    Hash: row.hash,
    ...indexesOf(row),
  }
}

export function decodeDestination(row: IntentionDestinationRow): IntentionDestinationRecord {
  return {
    DestinationNS: readText(row.destinationNs),
    DestinationName: readText(row.destinationName),
    Meta: row.meta as IntentionDestinationRecord['Meta'],
    ...indexesOf(row),
  }
}

export function decodeSystem(row: SystemRow, secrets: SecretBox): SystemRecord {
  const Value = row.key === 'replication-token' ? openToken(row, secrets) : row.value
  // As encodeSystem wrote it.
  return { Key: row.key, Value, ...indexesOf(row) } as SystemRecord
}

/** The stored form of the system record `replication-token`: the bytes in base64. */
type SealedToken = ReturnType<typeof showSealedToken>

/** What the sealed secret is bound to. */
export const REPLICATION_TOKEN_ID = 'system/replication-token'

function sealToken({ Value: { Token } }: SystemRecord<'replication-token'>, secrets: SecretBox): SealedToken {
  return showSealedToken(secrets.seal(storeText(Token), REPLICATION_TOKEN_ID))
}

/** In the form of the column. */
export function showSealedToken({ keyId, bytes }: Sealed): { KeyID: string; Sealed: string } {
  return { KeyID: keyId, Sealed: Buffer.from(bytes).toString('base64') }
}

/** The content of the column of the record `replication-token`. */
export function readSealedToken({ value }: Pick<SystemRow, 'value'>): Sealed {
  const { KeyID, Sealed } = value as unknown as SealedToken
  return { keyId: KeyID, bytes: Buffer.from(Sealed, 'base64') }
}

/** A token that cannot be decrypted is treated as not set. */
function openToken(row: SystemRow, secrets: SecretBox): ReplicationTokenRecord {
  try {
    return { Token: readText(secrets.open(readSealedToken(row), REPLICATION_TOKEN_ID)) }
  } catch (error) {
    if (error instanceof KeyRingError) return { Token: '' }
    throw error
  }
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
