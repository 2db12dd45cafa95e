/**
 * Records as the rules see them: spelled and shaped as on the wire, plus the few fields that never travel.
 * Records are immutable: the same object has the same content.
 */
import type { NodeIdentity, ServiceIdentity } from '@latchkey/contract'

/** A link as stored: the ID alone. Replies look up the current name, so renames break nothing. */
export interface StoredLink {
  readonly ID: string
}

export interface TokenRecord {
  /** Empty on a legacy token that was not migrated yet. Spec 9.2.3. */
  readonly AccessorID: string
  readonly SecretID: string
  readonly Description: string
  readonly Policies: readonly StoredLink[]
  readonly Roles: readonly StoredLink[]
  readonly ServiceIdentities: readonly ServiceIdentity[]
  readonly NodeIdentities: readonly NodeIdentity[]
  /** Rules of an unconverted legacy token. */
  readonly Rules: string
  /** Type of a legacy token; `''` on all others. The new APIs never show it. */
  readonly Type: '' | 'client' | 'management'
  readonly Local: boolean
  readonly AuthMethod: string
  /** Namespace of that auth method; empty unless a login made the token. */
  readonly AuthMethodNamespace: string
  /** Generation of that auth method at the login; 0 unless a login made the token. */
  readonly AuthMethodGeneration: number
  /** Who logged in, as the provider calls them: `loginIdentity`. Empty unless a login made the token. Never part of an answer. */
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
  /** `undefined` if never given: valid everywhere. */
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
  /** Unsigned, 64 bits. */
  readonly Flags: bigint
  readonly Value: Uint8Array
  /** How often the key was locked since it was created. */
  readonly LockIndex: number
  /** The ID of the session that holds the key. Absent: none does. */
  readonly Session?: string
  readonly CreateIndex: number
  readonly ModifyIndex: number
  readonly Namespace: string
}

/** A namespace of the extended edition. Spec 4.9. */
export interface NamespaceRecord {
  readonly Name: string
  readonly Description: string
  /** Links that every token of the namespace has on top of its own. */
  readonly PolicyDefaults: readonly StoredLink[]
  readonly RoleDefaults: readonly StoredLink[]
  readonly CreateIndex: number
  readonly ModifyIndex: number
}

/** The namespace that always exists. Spec 4.9.5. */
export const DEFAULT_NAMESPACE = 'default'
