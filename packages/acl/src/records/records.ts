/**
 * Records as the rules use them: spelled and shaped as on the wire, plus a few internal fields. Records are immutable:
 * the same object always has the same content.
 */
import type { NodeIdentity, ServiceIdentity } from '@latchkey/contract'

/** A stored link has only the ID. Replies look up the current name, so renames break nothing. */
export interface StoredLink {
  readonly ID: string
}

export interface TokenRecord {
  /** Empty on a legacy token that is not migrated yet. Spec 9.2.3. */
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly Policies: readonly StoredLink[]
  readonly Roles: readonly StoredLink[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  /** Rules of an unconverted legacy token. */
  readonly Rules: string
  /** Type of a legacy token; `''` on all others. The new APIs never return it. */
  readonly Type: '' | 'client' | 'management'
  readonly Local: boolean
  readonly AuthMethod: string
  /** Namespace of that auth method; empty unless a login created the token. */
  readonly AuthMethodNamespace: string
  /** Generation of that auth method at the login; 0 unless a login created the token. */
  readonly AuthMethodGeneration: number
  /**
   * Who logged in, as identified by the provider: `loginIdentity`. Empty unless a login created the token. Never part
   * of an answer.
   */
  readonly LoginIdentity: string
  /** RFC 3339, or `undefined` for no expiration. */
  readonly ExpirationTime: string | undefined
  readonly CreateTime: string
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

export interface PolicyRecord {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Rules: string
  /** `undefined` if never given: the policy is valid everywhere. */
  readonly Datacenters: readonly string[] | undefined
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

export interface RoleRecord {
  readonly ID: string
  readonly Name: string
  readonly Description: string
  readonly Policies: readonly StoredLink[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  readonly Hash: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

export interface KvRecord {
  readonly Key: string
  readonly Flags: bigint
  readonly Value: Uint8Array
  /** How many times the key was locked since it was created. */
  readonly LockIndex: number
  /** The ID of the session that holds the key; absent if none does. */
  readonly Session?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

/** A namespace in the extended edition. Spec 4.9. */
export interface NamespaceRecord {
  readonly Name: string
  readonly Description: string
  /** Links that every token in the namespace has in addition to its own. */
  readonly PolicyDefaults: readonly StoredLink[]
  readonly RoleDefaults: readonly StoredLink[]
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** The namespace that always exists. Spec 4.9.5. */
export const DEFAULT_NAMESPACE = 'default'

/** A token without ids, links and rights, as a base for others. */
export const BLANK_TOKEN: TokenRecord = {
  AccessorID: '',
  SecretID: '',
  Description: '',
  Policies: [],
  Roles: [],
  ServiceIdentities: [],
  NodeIdentities: [],
  Rules: '',
  Type: '',
  Local: false,
  AuthMethod: '',
  AuthMethodNamespace: '',
  AuthMethodGeneration: 0,
  LoginIdentity: '',
  ExpirationTime: undefined,
  CreateTime: '',
  Hash: '',
  CreateIndex: 0,
  ModifyIndex: 0,
  Namespace: DEFAULT_NAMESPACE,
}

const NO_FIELDS = Object.freeze({})

export function fieldsOf<T extends object>(record: T, names: ReadonlySet<string>): Partial<T> {
  if (names.size === 0) return NO_FIELDS
  const fields = Object.entries(record).filter(([name]) => names.has(name))
  return Object.fromEntries(fields) as Partial<T>
}
