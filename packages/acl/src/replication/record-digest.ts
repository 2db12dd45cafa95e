/**
 * A digest of the records that datacenters share, with which two datacenters compare their copies. It does not depend
 * on the order of the records. Decisions: changes.
 */
import { DIGEST_BYTES, digestOf } from '../blake2b.ts'
import type { NamespaceRecord, PolicyRecord, RoleRecord, TokenRecord } from '../records/records.ts'

interface RecordOf {
  readonly namespaces: NamespaceRecord
  readonly policies: PolicyRecord
  readonly roles: RoleRecord
  readonly tokens: TokenRecord
}

export type DigestedKind = keyof RecordOf

/** Fields that differ between datacenters. */
type OwnField = 'CreateIndex' | 'ModifyIndex' | 'Local' | 'AuthMethodGeneration'

/**
 * The fields of each kind, in the order in which they are hashed. A new field does not compile until it is added here.
 */
const FIELDS: { readonly [K in DigestedKind]: readonly string[] } = {
  namespaces: Object.keys({
    Name: true,
    Description: true,
    PolicyDefaults: true,
    RoleDefaults: true,
  } satisfies Record<Exclude<keyof NamespaceRecord, OwnField>, true>),
  policies: Object.keys({
    ID: true,
    Name: true,
    Description: true,
    Rules: true,
    Datacenters: true,
    Hash: true,
    Namespace: true,
  } satisfies Record<Exclude<keyof PolicyRecord, OwnField>, true>),
  roles: Object.keys({
    ID: true,
    Name: true,
    Description: true,
    Policies: true,
    ServiceIdentities: true,
    NodeIdentities: true,
    Hash: true,
    Namespace: true,
  } satisfies Record<Exclude<keyof RoleRecord, OwnField>, true>),
  tokens: Object.keys({
    AccessorID: true,
    SecretID: true,
    Description: true,
    Policies: true,
    Roles: true,
    ServiceIdentities: true,
    NodeIdentities: true,
    Rules: true,
    Type: true,
    AuthMethod: true,
    AuthMethodNamespace: true,
    LoginIdentity: true,
    ExpirationTime: true,
    CreateTime: true,
    Hash: true,
    Namespace: true,
  } satisfies Record<Exclude<keyof TokenRecord, OwnField>, true>),
}

/** The digest of the records of one kind. */
export interface KindDigest {
  readonly count: number
  /** XOR of the BLAKE2b-256 hashes of the records, in hex; of zeros for none. */
  readonly hash: string
}

export class RecordDigest {
  private readonly kinds = new Map<DigestedKind, { count: number; readonly sum: Uint8Array }>()

  /** @returns the length of the hashed text, in characters. */
  add<K extends DigestedKind>(kind: K, record: RecordOf[K]): number {
    const text = contentOf(kind, record)
    const hash = digestOf(text)
    const known = this.kinds.get(kind) ?? { count: 0, sum: new Uint8Array(DIGEST_BYTES) }
    known.count += 1
    for (let at = 0; at < DIGEST_BYTES; at += 1) known.sum[at] = (known.sum[at] ?? 0) ^ (hash[at] ?? 0)
    this.kinds.set(kind, known)
    return text.length
  }

  of(kind: DigestedKind): KindDigest {
    const { count, sum } = this.kinds.get(kind) ?? { count: 0, sum: new Uint8Array(DIGEST_BYTES) }
    return { count, hash: Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('') }
  }
}

/**
 * The text to hash. Absent and `undefined` fields are equal, and the order of the fields of an object is irrelevant.
 */
function contentOf(kind: DigestedKind, record: object): string {
  const fields = record as Readonly<Record<string, unknown>>
  return JSON.stringify(FIELDS[kind].map((name) => canonical(fields[name])))
}

function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, canonical(field)])
}
