/** Converts records with a secret to and from rows: auth methods, and the replication token among the system records. */
import {
  type AuthMethodRecord,
  asWritten,
  authMethodKey,
  type ReplicationTokenRecord,
  readWritten,
  type SystemRecord,
  splitConfig,
} from '@latchkey/acl'
import type { AuthMethod as AuthMethodRow, System as SystemRow } from '../generated/prisma/client.ts'
import { ifOpens, type Sealed } from '../secrets/key-ring.ts'
import type { SecretBox } from '../secrets/secret-box.ts'
import { readText, storeText } from './read/stored-text.ts'
import { codedBy, INDEXES, json, maybe, plain, text } from './row-codecs.ts'

/** The field of each type's configuration that is secret; jwt has none. */
const SECRET_FIELDS = { jwt: '', oidc: 'OIDCClientSecret', kubernetes: 'ServiceAccountJWT' } as const

function secretIdOf(record: Pick<AuthMethodRecord, 'Namespace' | 'Name'>): string {
  return `auth-method/${authMethodKey(record)}`
}

type AnyMethod = Pick<AuthMethodRecord, keyof AuthMethodRecord>

const AUTH_METHOD = codedBy<AnyMethod, AuthMethodRow>({
  Name: text('name'),
  Type: plain('type'),
  DisplayName: text('displayName'),
  Description: text('description'),
  MaxTokenTTL: maybe('maxTokenTtl'),
  TokenLocality: plain('tokenLocality'),
  // All in one column, under the names as written, and without the secret.
  Config: { column: 'config', decode: (stored) => configOf(stored).set as AnyMethod['Config'] },
  EmptyConfig: { column: 'config', decode: (stored) => configOf(stored).empty as AnyMethod['EmptyConfig'] },
  WrittenNames: { column: 'config', decode: writtenNamesIn, isOptional: true },
  MaxLiveTokens: maybe('maxLiveTokens'),
  IdleTTL: maybe('idleTtl'),
  IdleSince: maybe('idleSince'),
  NamespaceRules: json('namespaceRules'),
  Generation: { column: 'generation', encode: String, decode: Number },
  ...INDEXES,
  Namespace: text('namespace'),
})

function configOf(stored: unknown) {
  return splitConfig(readWritten(stored as object).config)
}

function writtenNamesIn(stored: unknown): AnyMethod['WrittenNames'] {
  const { names } = readWritten(stored as object)
  return Object.keys(names).length === 0 ? undefined : names
}

/** The secret of an auth method is bound to its row, so it cannot be decrypted elsewhere. */
export function encodeAuthMethod(record: AuthMethodRecord, secrets: SecretBox) {
  const { [SECRET_FIELDS[record.Type]]: secret, ...set } = record.Config as Record<string, unknown>
  const sealed = typeof secret === 'string' ? secrets.seal(storeText(secret), secretIdOf(record)) : undefined
  return {
    ...AUTH_METHOD.encode(record),
    config: asWritten({ ...record.EmptyConfig, ...set }, record.WrittenNames),
    secretCipher: sealed ? Uint8Array.from(sealed.bytes) : null,
    secretKeyId: sealed?.keyId ?? null,
  }
}

export function decodeAuthMethod(row: AuthMethodRow, secrets: SecretBox): AuthMethodRecord {
  // The rules wrote this record, and the columns contain nothing else.
  const record = AUTH_METHOD.decode(row) as AuthMethodRecord
  const { secretCipher: bytes, secretKeyId: keyId } = row
  const secret = bytes && keyId ? openText({ keyId, bytes }, secretIdOf(record), secrets) : undefined
  if (secret === undefined) return record
  const { set: Config } = splitConfig({ ...record.Config, [SECRET_FIELDS[record.Type]]: secret })
  return { ...record, Config } as AuthMethodRecord
}

function openText(sealed: Sealed, id: string, secrets: SecretBox): string | undefined {
  return ifOpens(() => readText(secrets.open(sealed, id)))
}

/** The stored form of the system record `replication-token`: the bytes in base64. */
type SealedToken = ReturnType<typeof showSealedToken>

export const REPLICATION_TOKEN_ID = 'system/replication-token'

export function encodeSystem(record: SystemRecord, secrets: SecretBox): { readonly value: object } {
  if (record.Key !== 'replication-token') return { value: record.Value }
  return { value: showSealedToken(secrets.seal(storeText(record.Value.Token), REPLICATION_TOKEN_ID)) }
}

export function decodeSystem(row: SystemRow, secrets: SecretBox): SystemRecord {
  const Value = row.key === 'replication-token' ? openToken(row, secrets) : row.value
  // As encodeSystem wrote it.
  return {
    Key: row.key,
    Value,
    CreateIndex: Number(row.createIndex),
    ModifyIndex: Number(row.modifyIndex),
  } as SystemRecord
}

export function showSealedToken({ keyId, bytes }: Sealed): { KeyID: string; Sealed: string } {
  return { KeyID: keyId, Sealed: Buffer.from(bytes).toString('base64') }
}

export function readSealedToken({ value }: Pick<SystemRow, 'value'>): Sealed {
  const { KeyID, Sealed } = value as unknown as SealedToken
  return { keyId: KeyID, bytes: Buffer.from(Sealed, 'base64') }
}

/** A token that cannot be decrypted is treated as not set. */
function openToken(row: SystemRow, secrets: SecretBox): ReplicationTokenRecord {
  return { Token: openText(readSealedToken(row), REPLICATION_TOKEN_ID, secrets) ?? '' }
}
